// A thread sleeps until another has set a flag: however often it looks in vain is the same, and nobody looks at the clock.
//@ outcomes: done
//@ native
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int ready;

static void *set(void *unused) {
    atomic_store(&ready, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    while (!atomic_load(&ready))
        usleep(100);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
