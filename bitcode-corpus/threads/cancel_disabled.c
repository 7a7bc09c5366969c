// While cancellation is disabled a request waits.
//@ outcomes: done,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t started, requested;

static void *run(void *unused) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_post(&started);
    pthread_testcancel();
    printf("done");
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    sem_wait(&requested);
    pthread_testcancel();
    printf("not reached");
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    sem_init(&started, 0, 0);
    sem_init(&requested, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&started);
    pthread_cancel(thread);
    sem_post(&requested);
    pthread_join(thread, &result);
    printf(",%d\n", result == PTHREAD_CANCELED);
    return 0;
}
