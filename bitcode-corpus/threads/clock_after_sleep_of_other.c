// Who waits for a thread that sleeps finds the clock moved on by that sleep.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t slept;

static void *sleeper(void *unused) {
    sleep(1);
    sem_post(&slept);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec before, after;
    sem_init(&slept, 0, 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    pthread_create(&thread, NULL, sleeper, NULL);
    sem_wait(&slept);
    clock_gettime(CLOCK_MONOTONIC, &after);
    pthread_join(thread, NULL);
    long elapsed = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    printf("%d\n", elapsed >= 999);
    return 0;
}
