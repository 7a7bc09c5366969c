// A thread waits for a while, and stores in its sixth round what another thread reads. Rounds that are no matter
// to the loop matter to others.
//@ outcomes: 0 1
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int flag, seen;
int late;

static void *set(void *unused) {
    late = atomic_load(&seen);
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t setter;
    pthread_create(&setter, NULL, set, NULL);
    for (unsigned rounds = 0; rounds < 8 && !atomic_load(&flag); rounds++) {
        if (rounds == 5)
            atomic_store(&seen, 1);
        sched_yield();
    }
    pthread_join(setter, NULL);
    printf("%d\n", late);
    return 0;
}
