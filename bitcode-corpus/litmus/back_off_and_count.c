// As `back_off_longer.c`, but the rounds are counted for the output: each number of them is another outcome,
// up to the fourth, after which the thread gives up.
//@ outcomes: 0 1 2 3 4
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int flag;

static void *set(void *unused) {
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t setter;
    pthread_create(&setter, NULL, set, NULL);
    unsigned rounds = 0;
    for (; rounds < 4 && !atomic_load(&flag); rounds++)
        if (rounds > 2)
            sched_yield();
    printf("%u\n", rounds);
    pthread_join(setter, NULL);
    return 0;
}
