// Asynchronous cancellation also ends a wait that is no cancellation point, and clean-up handlers run.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
static int cleaned;

static void clean_up(void *unused) {
    (void)unused;
    cleaned = 1;
}

static void *run(void *unused) {
    pthread_cleanup_push(clean_up, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&ready);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&ready, 0, 0);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    pthread_mutex_unlock(&mutex);
    printf("%d,%d\n", result == PTHREAD_CANCELED, cleaned);
    return 0;
}
