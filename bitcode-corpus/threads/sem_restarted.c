// A wait interrupted by a handler that is to restart calls goes on.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t semaphore, waiting;
static int result, handled;

static void handle(int signal) {
    (void)signal;
    handled++;
}

static void *run(void *unused) {
    sem_post(&waiting);
    result = sem_wait(&semaphore);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sem_init(&semaphore, 0, 0);
    sem_init(&waiting, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&waiting);
    pthread_kill(thread, SIGUSR1);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
    printf("%d,%d\n", result, handled);
    return 0;
}
