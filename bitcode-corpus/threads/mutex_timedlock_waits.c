// A thread that waits with a deadline gets the mutex if that becomes free before. Which of the two comes first is open.
//@ outcomes: 0 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int error;

static void *try(void *unused) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 60;
    error = pthread_mutex_timedlock(&mutex, &limit);
    if (error == 0)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, try, NULL);
    usleep(1000);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("%d\n", error != 0);
    return 0;
}
