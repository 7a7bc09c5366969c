// A thread that gets EOWNERDEAD may find the owner not ended yet: the kernel gives up its robust mutexes first.
//@ outcomes: died,ended died,runs locked,ended locked,runs
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static void *hold(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, hold, NULL);
    int died = pthread_mutex_lock(&mutex) == EOWNERDEAD;
    if (died) pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    int ended = pthread_tryjoin_np(thread, NULL) == 0;
    if (!ended) pthread_join(thread, NULL);
    printf("%s,%s\n", died ? "died" : "locked", ended ? "ended" : "runs");
    return 0;
}
