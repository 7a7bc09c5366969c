// A clock that cannot limit a wait is refused.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec time = {.tv_sec = 1};
    pthread_mutex_lock(&mutex);
    printf("%d\n", pthread_cond_clockwait(&condition, &mutex, CLOCK_PROCESS_CPUTIME_ID, &time) == EINVAL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
