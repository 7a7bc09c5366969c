// A handler ends sleep, which says how much was left.
//@ outcomes: 1,1 0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t asleep;
static int interrupted, rest_is_positive;

static void handle(int signal) {
    (void)signal;
}

static void *run(void *unused) {
    struct timespec long_time = {.tv_sec = 100}, rest = {0};
    sem_post(&asleep);
    interrupted = nanosleep(&long_time, &rest) == -1 && errno == EINTR;
    rest_is_positive = rest.tv_sec > 0;
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec moment = {.tv_nsec = 50000000};
    sem_init(&asleep, 0, 0);
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&asleep);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d,%d\n", interrupted, rest_is_positive);
    return 0;
}
