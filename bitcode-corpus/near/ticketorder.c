// ticketorder (IBM's ConTest suite): agents look without the lock whether a seat is free; one that is sold shows so before the
// other fields of its ticket are there.
#include <assert.h>
#include <pthread.h>

#define SEATS 3
#define AGENTS 2
#define FLIGHT 74721
#define AIRLINE 8888

static struct {
    volatile int is_sold, flight, airline, agent;
    pthread_mutex_t lock;
} seats[SEATS];

static int bugs[AGENTS];

static void *sell(void *number) {
    int agent = *(int *)number;
    for (int i = 0; i < SEATS; i++) {
        if (!seats[i].is_sold) {
            pthread_mutex_lock(&seats[i].lock);
            if (!seats[i].is_sold) {
                seats[i].is_sold = 1;
                seats[i].flight = FLIGHT;
                seats[i].airline = AIRLINE;
                seats[i].agent = agent;
            }
            pthread_mutex_unlock(&seats[i].lock);
        } else {
            if (seats[i].flight != FLIGHT)
                bugs[agent]++;
            if (seats[i].airline != AIRLINE)
                bugs[agent]++;
        }
    }
    return number;
}

int main(void) {
    pthread_t agents[AGENTS];
    int numbers[AGENTS];
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&seats[i].lock, NULL);
    for (int i = 0; i < AGENTS; i++) {
        numbers[i] = i;
        pthread_create(&agents[i], NULL, sell, &numbers[i]);
    }
    for (int i = 0; i < AGENTS; i++)
        pthread_join(agents[i], NULL);
    for (int i = 0; i < AGENTS; i++)
        assert(bugs[i] == 0); //~ ERROR: assertion failed
    return 0;
}
