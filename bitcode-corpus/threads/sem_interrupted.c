// A wait interrupted by a handler fails, and takes nothing; if the signal comes before the wait, nothing fails.
//@ outcomes: 1,1 0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t semaphore, waiting;
static int failed, handled;

static void handle(int signal) {
    (void)signal;
    handled++;
}

static void *run(void *unused) {
    sem_post(&waiting);
    failed = sem_wait(&semaphore) == -1 && errno == EINTR;
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle};
    struct timespec moment = {.tv_nsec = 50000000};
    sem_init(&semaphore, 0, 0);
    sem_init(&waiting, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&waiting);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    nanosleep(&moment, NULL);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
    printf("%d,%d\n", failed, handled);
    return 0;
}
