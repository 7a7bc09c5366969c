// A thread looks three times, then sleeps, longer each time, and begins again: the rounds are told apart as long as it
// sleeps longer, then no more.
//@ outcomes: done
//@ native
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ready;

static void *set(void *unused) {
    atomic_store(&ready, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    int looks = 0, pause = 1;
    pthread_create(&thread, NULL, set, NULL);
    while (!atomic_load(&ready)) {
        if (++looks < 3)
            continue;
        looks = 0;
        poll(NULL, 0, pause);
        if (pause < 4)
            pause *= 2;
    }
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
