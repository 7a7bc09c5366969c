// A thread cancelled while it holds a mutex that nobody wants any more has done nothing wrong.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    sem_wait(&never);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
