// A thread waits in a loop for what others set, and the main thread does not wait for it: whatever the schedule, the program ends.
// Nothing of this is looked at but by these threads, so that only their next steps tell that it is shared.
//@ native
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;

static void *wait(void *unused) {
    while (!first && !second) {
    }
    return unused;
}

static void *set_second(void *unused) {
    if (!first)
        second = 1;
    return unused;
}

static void *set_first(void *unused) {
    if (!second)
        first = 1;
    return unused;
}

int main(void) {
    void *(*const bodies[])(void *) = {wait, set_second, set_first};
    for (int number = 0; number < 3; number++) {
        pthread_t thread;
        pthread_create(&thread, NULL, bodies[number], NULL);
    }
    return 0;
}
