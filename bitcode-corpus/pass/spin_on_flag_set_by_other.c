// Waiting in a loop for a flag that another thread sets: no livelock, under any model, since stores leave their buffers.
//@ outcomes: 7
//@ native
//@ again: --reduction source-sets
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int flag;

static void *wait(void *unused) {
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        sched_yield();
    printf("%d\n", data);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    data = 7;
    atomic_store_explicit(&flag, 1, memory_order_release);
    pthread_join(thread, NULL);
    return 0;
}
