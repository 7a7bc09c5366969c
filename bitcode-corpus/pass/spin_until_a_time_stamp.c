// A loop that waits for time to pass sees the same memory in each round and ends all the same.
//@ outcomes: late
//@ native
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <x86intrin.h>

static atomic_int flag;

static void *wait(void *unused) {
    unsigned long begin = __rdtsc();
    while (!atomic_load(&flag) && __rdtsc() - begin < 100) {
    }
    puts("late");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    atomic_store(&flag, 0);
    pthread_join(thread, NULL);
    return 0;
}
