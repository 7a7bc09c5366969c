// A second request changes nothing.
//@ outcomes: 0,1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t never;

static void *run(void *unused) {
    sem_wait(&never);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    printf("%d", pthread_cancel(thread));
    int again = pthread_cancel(thread);
    pthread_join(thread, &result);
    printf(",%d,%d\n", again == 0, result == PTHREAD_CANCELED);
    return 0;
}
