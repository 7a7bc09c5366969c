// A thread waits, idling for longer from round to round, then yielding. How many rounds there were is no
// matter to what it does.
//@ outcomes: 1
//@ executions[sc]: 2
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int flag;
int data;

static void *set(void *unused) {
    data = 1;
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t setter;
    pthread_create(&setter, NULL, set, NULL);
    for (unsigned rounds = 0; !atomic_load(&flag); rounds++)
        if (rounds <= 6)
            for (unsigned pause = 0; pause < rounds * rounds; pause++)
                __builtin_ia32_pause();
        else
            sched_yield();
    printf("%d\n", data);
    pthread_join(setter, NULL);
    return 0;
}
