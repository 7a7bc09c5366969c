// Of arrivals at a barrier whose results nobody looks at, the order is nobody's business: one execution.
//@ outcomes: 33
//@ executions: 1
//@ native
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3 };

static pthread_barrier_t barrier;
static int arrived[THREADS], sums[THREADS];

static void *run(void *argument) {
    int *mine = argument;
    long self = mine - arrived;
    *mine = 1;
    pthread_barrier_wait(&barrier);
    for (int index = 0; index < THREADS; index++)
        sums[self] += arrived[index];
    pthread_barrier_wait(&barrier);
    *mine = 2;
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int sum = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int index = 0; index < THREADS; index++)
        pthread_create(&threads[index], NULL, run, &arrived[index]);
    for (int index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
        sum += sums[index];
    }
    pthread_barrier_destroy(&barrier);
    printf("%d%d\n", sum / 3, sums[0]);
    return 0;
}
