// So with a condition variable.
//@ outcomes: 1 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *run(void *unused) {
    usleep(50000);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec limit;
    int error = 0;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 30;
    pthread_create(&thread, NULL, run, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready && error == 0)
        error = pthread_cond_timedwait(&changed, &mutex, &limit);
    int in_time = ready;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("%d\n", in_time);
    return 0;
}
