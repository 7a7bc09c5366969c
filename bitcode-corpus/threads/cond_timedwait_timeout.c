// Nobody signals: the wait ends by its deadline, and the mutex is held again.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec past = {.tv_sec = 1};
    pthread_mutex_lock(&mutex);
    printf("%d", pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
    printf(",%d\n", pthread_mutex_unlock(&mutex));
    return 0;
}
