// A thread that lets itself be cancelled anywhere ends where no cancellation point is, or has ended before.
//@ outcomes: 1 0
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t ready;

static void *run(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&ready);
    sched_yield();
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
