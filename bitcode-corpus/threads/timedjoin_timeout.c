// A limited join of a thread that runs ends by its deadline.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec past = {.tv_sec = 1};
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, run, NULL);
    printf("%d", pthread_timedjoin_np(thread, NULL, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    printf(",%d\n", pthread_join(thread, NULL));
    return 0;
}
