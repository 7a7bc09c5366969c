// Two semaphores used as locks, taken in opposite order.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>

static sem_t left, right;

static void *leftwards(void *unused) {
    sem_wait(&right); //~ NOTE: `right` acquired by
    sem_wait(&left);
    sem_post(&left);
    sem_post(&right);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&left, 0, 1);
    sem_init(&right, 0, 1);
    pthread_create(&thread, NULL, leftwards, NULL);
    sem_wait(&left);
    sem_wait(&right); //~ ERROR: waits for a post to the semaphore `right`, taken by T1 leftwards, which waits for a post to the semaphore `left`, taken by T0 main
    sem_post(&right);
    sem_post(&left);
    pthread_join(thread, NULL);
    return 0;
}
