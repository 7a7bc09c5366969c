// A cycle of three.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutexes[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *run(void *first) {
    pthread_mutex_t *one = first, *next = one == &mutexes[2] ? &mutexes[0] : one + 1;
    pthread_mutex_lock(one);
    pthread_mutex_lock(next); //~ ERROR: which waits for the mutex
    pthread_mutex_unlock(next);
    pthread_mutex_unlock(one);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int number = 0; number < 3; number++)
        pthread_create(&threads[number], NULL, run, &mutexes[number]);
    for (int number = 0; number < 3; number++)
        pthread_join(threads[number], NULL);
    return 0;
}
