// A thread that joins another can be cancelled; the other can still be joined.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t semaphore;
static pthread_t inner;

static void *wait(void *unused) {
    sem_wait(&semaphore);
    return unused;
}

static void *run(void *unused) {
    pthread_join(inner, NULL);
    return unused;
}

int main(void) {
    pthread_t outer;
    void *result = NULL;
    sem_init(&semaphore, 0, 0);
    pthread_create(&inner, NULL, wait, NULL);
    pthread_create(&outer, NULL, run, NULL);
    pthread_cancel(outer);
    pthread_join(outer, &result);
    printf("%d", result == PTHREAD_CANCELED);
    sem_post(&semaphore);
    printf(",%d\n", pthread_join(inner, NULL));
    return 0;
}
