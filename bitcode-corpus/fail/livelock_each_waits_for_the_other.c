// Two threads announce themselves, then each waits until the other one has left.
//@ again: --reduction source-sets
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int inside[2];

static void *enter(void *which) {
    int me = which != NULL;
    atomic_store(&inside[me], 1); //~ NOTE: was the last to write
    while (atomic_load(&inside[!me])) //~ ERROR: and so does T2 enter
        sched_yield(); //~ NOTE: calls sched_yield here, to no effect
    atomic_store(&inside[me], 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, enter, NULL);
    pthread_create(&threads[1], NULL, enter, &inside);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
