// Arrivals commute with each other, not with the end of the barrier: it comes before the last one or behind it.
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;

static void *run(void *unused) {
    pthread_barrier_wait(&barrier); //~ ERROR: use of a destroyed barrier
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_create(&thread, NULL, run, NULL);
    pthread_barrier_destroy(&barrier);
    pthread_join(thread, NULL);
    return 0;
}
