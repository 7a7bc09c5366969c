// With a deadline, too, the next to lock a robust mutex is told that its holder has ended.
//@ outcomes: 1,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex;

static void *hold(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    struct timespec past = {0};
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, hold, NULL);
    pthread_join(thread, NULL);
    printf("%d", pthread_mutex_timedlock(&mutex, &past) == EOWNERDEAD);
    printf(",%d", pthread_mutex_consistent(&mutex));
    printf(",%d\n", pthread_mutex_unlock(&mutex));
    return 0;
}
