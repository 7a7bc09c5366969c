// Without optimisation an atomic pointer goes through a temporary, written as a number and read as a pointer.
// A loop that waits for one leaves nothing behind all the same.
//@ outcomes: 7
//@ executions: 1
//@ cflags: -O0
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int value;
static int *_Atomic published;

static void *publish(void *unused) {
    value = 7;
    atomic_store(&published, &value);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    int *found;
    while (!(found = atomic_load(&published)))
        ;
    printf("%d\n", *found);
    return pthread_join(thread, NULL);
}
