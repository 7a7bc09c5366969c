// A thread that waits does not say what others have seen before: they may come first, and see nothing of it.
//@ outcomes: 0 1
//@ executions[sc]: 2
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int begun, steps;

static void *wait(void *unused) {
    atomic_store(&begun, 1);
    while (atomic_load(&steps) != 2) {
    }
    return unused;
}

int main(void) {
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait, NULL);
    atomic_store(&steps, 1);
    int seen = atomic_load(&begun);
    atomic_store(&steps, 2);
    pthread_join(waiter, NULL);
    printf("%d\n", seen);
    return 0;
}
