// A handler ends a sleep by a clock, which answers so; what is left is told, unless the sleep was to a time.
//@ outcomes: 1,1,1 0,0,1 0,0,0 1,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static int interrupted, is_told, to_time;

static void handle(int signal) {
    (void)signal;
}

static void *run(void *unused) {
    struct timespec time = {.tv_sec = 100}, left = {.tv_sec = -1};
    interrupted = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &left) == EINTR;
    is_told = left.tv_sec >= 0;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += 100;
    to_time = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, &left) == EINTR;
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec moment = {.tv_nsec = 50000000};
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, run, NULL);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d,%d,%d\n", interrupted, is_told, to_time);
    return 0;
}
