// A semaphore that an alarm's handler posts is had no sooner than the alarm goes off.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t rung;

static void handler(int number) {
    (void)number;
    sem_post(&rung);
}

int main(void) {
    struct timespec before, after;
    sem_init(&rung, 0, 0);
    signal(SIGALRM, handler);
    clock_gettime(CLOCK_REALTIME, &before);
    alarm(1);
    while (sem_wait(&rung) != 0)
        ;
    clock_gettime(CLOCK_REALTIME, &after);
    long elapsed = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    printf("%d\n", elapsed >= 999);
    return 0;
}
