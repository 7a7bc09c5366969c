// Two threads that join each other: the second to try is told.
//@ outcomes: 1
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_t one, two;
static sem_t known, told;

static void *run_one(void *unused) {
    sem_wait(&known);
    if (pthread_join(two, NULL) == EDEADLK)
        sem_post(&told);
    return unused;
}

static void *run_two(void *unused) {
    sem_wait(&known);
    if (pthread_join(one, NULL) == EDEADLK)
        sem_post(&told);
    return unused;
}

int main(void) {
    sem_init(&known, 0, 0);
    sem_init(&told, 0, 0);
    pthread_create(&one, NULL, run_one, NULL);
    pthread_create(&two, NULL, run_two, NULL);
    sem_post(&known);
    sem_post(&known);
    printf("%d\n", sem_wait(&told) == 0);
    pthread_exit(NULL);
}
