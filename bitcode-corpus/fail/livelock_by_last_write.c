// A thread waits for 1, another one writes 1 and a third one 2. No event observes which of them is the last.

#include <pthread.h>
#include <stdatomic.h>

static atomic_int shared;

static void *wait(void *unused) {
    while (atomic_load(&shared) != 1) //~ ERROR: livelock
        ;
    return unused;
}

static void *disturb(void *unused) {
    atomic_store(&shared, 2);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait, NULL);
    pthread_create(&threads[1], NULL, disturb, NULL);
    atomic_store(&shared, 1);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
