// A deadline that is no time is refused; the mutex is still held.
//@ outcomes: 1,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec late = {.tv_sec = 1 << 30, .tv_nsec = 1000000000}, never = {.tv_nsec = -1};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    printf("%d", pthread_cond_timedwait(&condition, &mutex, &late) == EINVAL);
    printf(",%d", pthread_cond_timedwait(&condition, &mutex, &never) == EINVAL);
    printf(",%d\n", pthread_mutex_unlock(&mutex));
    return 0;
}
