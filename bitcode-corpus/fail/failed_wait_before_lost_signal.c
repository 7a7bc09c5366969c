// A wait fails, since the thread does not hold the mutex. It and what follows come before the other wait or
// after it.
//@ again: --reduction source-sets
#include <pthread.h>
#include <time.h>

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex;

static void *wake(void *unused) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 1;
    pthread_cond_timedwait(&condition, &mutex, &soon);
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t waking;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&waking, NULL, wake, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex); //~ ERROR: deadlock
    pthread_mutex_unlock(&mutex);
    return 0;
}
