// A handler ends a read that waits.
//@ outcomes: 1 0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t reading;
static int interrupted, ends[2];

static void handle(int signal) {
    (void)signal;
}

static void *run(void *unused) {
    char byte;
    sem_post(&reading);
    interrupted = read(ends[0], &byte, 1) == -1 && errno == EINTR;
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle};
    struct timespec moment = {.tv_nsec = 50000000};
    if (pipe(ends))
        return 1;
    sem_init(&reading, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&reading);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    nanosleep(&moment, NULL);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(thread, NULL);
    printf("%d\n", interrupted);
    return 0;
}
