// Races on purpose, after racey of CLAP's Table 1: two threads mix an array without a lock. Fails if the result is not
// that of the threads one after the other.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { CELLS = 64 };

static pthread_barrier_t barrier;
static unsigned cells[CELLS];
static volatile int started[2];
static int rounds = 64;

static unsigned mix(unsigned a, unsigned b) { return a * 16777619u ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2)); }

static void race(int me) {
    unsigned at = (unsigned)me + 1;
    for (int i = 0; i < rounds; i++) {
        unsigned from = at % CELLS;
        at = mix(cells[from], at);
        cells[at % CELLS] = mix(cells[at % CELLS], at);
        if (i % 4 == 3) sched_yield();
    }
}

static void *start(void *argument) {
    int me = (int)(long)argument;
    pthread_barrier_wait(&barrier);
    started[me] = 1;
    while (!started[1 - me])
        sched_yield();
    race(me);
    return NULL;
}

static unsigned result(void) {
    unsigned sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum = mix(sum, cells[i]);
    return sum;
}

int main(int count, char **arguments) {
    if (count > 1) rounds = atoi(arguments[1]);
    unsigned expected[2];
    for (int order = 0; order < 2; order++) {
        for (int i = 0; i < CELLS; i++)
            cells[i] = (unsigned)i;
        race(order);
        race(1 - order);
        expected[order] = result();
    }
    for (int i = 0; i < CELLS; i++)
        cells[i] = (unsigned)i;
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, start, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    unsigned seen = result();
    assert(seen == expected[0] || seen == expected[1]);
    return 0;
}
