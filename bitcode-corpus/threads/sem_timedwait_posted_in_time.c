// A post before the deadline ends the wait; the deadline may come first all the same.
//@ outcomes: 1 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t semaphore;

static void *run(void *unused) {
    usleep(50000);
    sem_post(&semaphore);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec limit;
    sem_init(&semaphore, 0, 0);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 30;
    pthread_create(&thread, NULL, run, NULL);
    int got = sem_timedwait(&semaphore, &limit) == 0;
    pthread_join(thread, NULL);
    printf("%d\n", got);
    return 0;
}
