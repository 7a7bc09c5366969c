// A wait may end before the signal comes. `pthread_cond_clockwait` has "lock" in its name and takes none besides the mutex.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t worker;
    struct timespec end = {1, 0};
    pthread_mutex_lock(&mutex);
    pthread_create(&worker, NULL, work, NULL);
    int result = pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &end);
    pthread_mutex_unlock(&mutex);
    assert(result == 0); //~ ERROR: result == 0
    pthread_join(worker, NULL);
    return 0;
}
