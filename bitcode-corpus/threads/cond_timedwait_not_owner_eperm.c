// A timed wait with a mutex that the thread does not hold is refused, if the mutex checks that.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec deadline;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    printf("%d", pthread_cond_timedwait(&condition, &mutex, &deadline) == EPERM);
    printf(",%d\n", pthread_mutex_lock(&mutex));
    pthread_mutex_unlock(&mutex);
    return 0;
}
