// A wait that a handler interrupts fails, though the handler itself posts what it waits for.
//@ outcomes: -1,1 0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t semaphore, waiting;

static void handle(int signal) {
    (void)signal;
    sem_post(&semaphore);
}

static void *run(void *failed) {
    sem_post(&waiting);
    *(int *)failed = sem_wait(&semaphore);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle};
    struct timespec moment = {.tv_nsec = 50000000};
    int failed, left;
    sem_init(&semaphore, 0, 0);
    sem_init(&waiting, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, &failed);
    sem_wait(&waiting);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    sem_getvalue(&semaphore, &left);
    printf("%d,%d\n", failed, left);
    return 0;
}
