// A handler ends usleep, which fails, and sleep, which says how many seconds were left.
//@ outcomes: 1,1 1,0 0,1 0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sem_t asleep, again;
static int short_one, long_one;

static void handle(int signal) {
    (void)signal;
}

static void *run(void *unused) {
    sem_post(&asleep);
    short_one = usleep(100000000) == -1 && errno == EINTR;
    sem_post(&again);
    unsigned left = sleep(100);
    long_one = left > 0 && left <= 100;
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&asleep, 0, 0);
    sem_init(&again, 0, 0);
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&asleep);
    usleep(50000);
    pthread_kill(thread, SIGUSR1);
    sem_wait(&again);
    usleep(50000);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d,%d\n", short_one, long_one);
    return 0;
}
