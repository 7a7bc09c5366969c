// FreeBSD's pthread_mutex_isowned_np says whether the calling thread holds a mutex, whichever thread else does.
//@ outcomes: 0,0,1,0,1,1,0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

/* No header of Linux declares it. */
int pthread_mutex_isowned_np(pthread_mutex_t *mutex);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int own, beside;

static void *lock(void *unused) {
    beside = pthread_mutex_isowned_np(&mutex);
    pthread_mutex_lock(&mutex);
    own = pthread_mutex_isowned_np(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, lock, NULL);
    int while_others_may = pthread_mutex_isowned_np(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    int given_back = pthread_mutex_isowned_np(&mutex);
    pthread_join(thread, NULL);

    pthread_mutexattr_t attributes;
    pthread_mutex_t recursive;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_mutex_lock(&recursive);
    int once = pthread_mutex_isowned_np(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    int still = pthread_mutex_isowned_np(&recursive);
    pthread_mutex_unlock(&recursive);
    int no_more = pthread_mutex_isowned_np(&recursive);
    printf("%d,%d,%d,%d,%d,%d,%d\n", beside, while_others_may, own, given_back, once, still, no_more);
    pthread_mutex_destroy(&recursive);
    return 0;
}
