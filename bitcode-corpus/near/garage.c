// garage (IBM's ConTest suite): workers wait for their manager and hand in a card each; cards are counted without the lock, and
// the manager gives up waiting for one that was lost.
#include <assert.h>
#include <pthread.h>

#define WORKERS 3

static pthread_mutex_t status = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static int has_arrived, working = WORKERS;
static volatile int cards;

static void *work(void *number) {
    pthread_mutex_lock(&status);
    while (!has_arrived)
        pthread_cond_wait(&arrival, &status);
    pthread_mutex_unlock(&status);
    int tasks = *(int *)number % 2 ? 2 : 1;
    for (volatile int task = 0; task < tasks; task++) {
    }
    pthread_mutex_lock(&status);
    working--;
    pthread_mutex_unlock(&status);
    cards++;
    return number;
}

static void *manage(void *gave_up) {
    pthread_mutex_lock(&status);
    has_arrived = 1;
    pthread_cond_broadcast(&arrival);
    int rounds = 0;
    while (working > 0 && rounds++ < 2) {
        pthread_mutex_unlock(&status);
        pthread_mutex_lock(&status);
    }
    int is_over = working == 0;
    pthread_mutex_unlock(&status);
    if (is_over && cards != WORKERS)
        *(int *)gave_up = 1;
    return gave_up;
}

int main(void) {
    pthread_t manager, workers[WORKERS];
    int numbers[WORKERS], gave_up = 0;
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i;
        pthread_create(&workers[i], NULL, work, &numbers[i]);
    }
    pthread_create(&manager, NULL, manage, &gave_up);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_join(manager, NULL);
    assert(!gave_up || cards == WORKERS); //~ ERROR: assertion failed
    return 0;
}
