// A deadline that has passed ends the wait, and the mutex is held again.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    struct timespec past = {.tv_sec = 1};
    pthread_mutex_lock(&mutex);
    printf("%d", pthread_cond_timedwait(&changed, &mutex, &past) == ETIMEDOUT);
    printf(",%d\n", pthread_mutex_unlock(&mutex) == 0);
    return 0;
}
