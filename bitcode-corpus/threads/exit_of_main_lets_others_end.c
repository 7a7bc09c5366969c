// The process ends with status 0 when the last thread does, though main left by pthread_exit.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t left;

static void *run(void *unused) {
    sem_wait(&left);
    puts("1");
    return unused;
}

static void leave(void *unused) {
    (void)unused;
    sem_post(&left);
}

int main(void) {
    pthread_t thread;
    sem_init(&left, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
    pthread_cleanup_push(leave, NULL);
    pthread_exit((void *)3);
    pthread_cleanup_pop(0);
    return 1;
}
