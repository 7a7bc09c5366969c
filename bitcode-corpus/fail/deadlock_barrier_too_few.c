// A barrier for three at which two arrive.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_barrier_t barrier;

static void *run(void *unused) {
    pthread_barrier_wait(&barrier); //~ ERROR: waits for the barrier `barrier`, where 2 of 3 have arrived
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, run, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    return 0;
}
