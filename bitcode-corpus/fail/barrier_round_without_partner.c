// Whether a thread that comes twice meets another one each time depends on who comes first to the barrier.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *twice(void *unused) {
    pthread_barrier_wait(&barrier); //~ ERROR: waits for the barrier `barrier`, where 1 of 2 have arrived
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *once(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, twice, NULL);
    pthread_create(&threads[1], NULL, once, NULL);
    pthread_create(&threads[2], NULL, once, NULL);
    for (int index = 0; index < 3; index++)
        pthread_join(threads[index], NULL);
    return 0;
}
