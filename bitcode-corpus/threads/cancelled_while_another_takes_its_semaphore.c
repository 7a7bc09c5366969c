// A thread waits for a semaphore until it is cancelled, which depends on another thread's end. It may also come
// before who took the semaphore, and before that thread's read.
//@ outcomes: 0,0,1 0,1,0 1,0,1
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

int volatile x;
sem_t semaphore;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *read(void *unused) {
    long seen = x;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return (void *)seen;
}

static void *wait(void *unused) {
    sem_wait(&semaphore);
    x = 1;
    return unused;
}

static void *try(void *unused) {
    return (void *)(long)(sem_trywait(&semaphore) != 0);
}

int main(void) {
    pthread_t reader, waiter, other;
    void *seen, *cancelled, *failed;
    sem_init(&semaphore, 0, 1);
    pthread_create(&reader, NULL, read, NULL);
    pthread_create(&waiter, NULL, wait, NULL);
    pthread_create(&other, NULL, try, NULL);
    pthread_join(reader, &seen);
    pthread_cancel(waiter);
    pthread_join(waiter, &cancelled);
    pthread_join(other, &failed);
    printf("%ld,%d,%ld\n", (long)seen, cancelled != NULL, (long)failed);
    return 0;
}
