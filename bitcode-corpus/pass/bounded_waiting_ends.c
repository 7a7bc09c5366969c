// A loop that gives up after some rounds is no livelock, though the flag never comes.
//@ outcomes: gave_up
//@ native
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag, other;

static void *wait(void *unused) {
    for (int rounds = 0; !atomic_load(&flag); rounds++)
        if (rounds == 3) {
            puts("gave_up");
            break;
        }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    if (atomic_load(&other))
        atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
