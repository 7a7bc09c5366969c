// Whether the post or the request is first decides how the thread ends.
//@ outcomes: cancelled went,on
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t semaphore;

static void *run(void *unused) {
    sem_wait(&semaphore);
    return unused;
}

static void *post(void *unused) {
    sem_post(&semaphore);
    return unused;
}

int main(void) {
    pthread_t waiter, poster;
    void *result = NULL;
    sem_init(&semaphore, 0, 0);
    pthread_create(&waiter, NULL, run, NULL);
    pthread_create(&poster, NULL, post, NULL);
    pthread_cancel(waiter);
    pthread_join(waiter, &result);
    pthread_join(poster, NULL);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "went,on");
    return 0;
}
