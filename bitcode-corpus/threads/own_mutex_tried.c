// An error-checking mutex that is robust, or whose holder inherits priorities, is not busy for its holder: that
// would deadlock.
//@ outcomes: 16,35,35
//@ native
#include <pthread.h>
#include <stdio.h>

static int again(int robust, int protocol) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    int result = pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    return result;
}

int main(void) {
    int plain = again(PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    int robust = again(PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
    int inheriting = again(PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
    printf("%d,%d,%d\n", plain, robust, inheriting);
    return 0;
}
