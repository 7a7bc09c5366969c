// Two threads wait on one condition variable with different mutexes.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait(void *mutex) {
    pthread_mutex_lock(mutex);
    pthread_cond_wait(&changed, mutex); //~ ERROR: wait on a condition variable on which threads wait with another mutex
    pthread_mutex_unlock(mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, wait, &mutexes[number]);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    return 0;
}
