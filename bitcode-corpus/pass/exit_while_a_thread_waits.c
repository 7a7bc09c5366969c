// The process may end while a thread waits in a loop for what never comes: that is an end like any other.
//@ outcomes: 0 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int taken;

static void *take_twice(void *unused) {
    for (int round = 0; round < 2; round++) {
        int expected = 0;
        while (!atomic_compare_exchange_strong(&taken, &expected, 1)) expected = 0;
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, take_twice, NULL);
    printf("%d\n", atomic_load(&taken));
    return 0;
}
