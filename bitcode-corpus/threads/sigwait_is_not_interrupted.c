// The handler of another signal does not end sigwait.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t waiting;
static int handled, got;

static void handle(int signal) {
    (void)signal;
    handled = 1;
}

static void *run(void *waited) {
    int signal = 0;
    sem_post(&waiting);
    got = sigwait(waited, &signal) == 0 && signal == SIGUSR1;
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle};
    struct timespec moment = {.tv_nsec = 50000000};
    pthread_t thread;
    sigset_t waited;
    sem_init(&waiting, 0, 0);
    sigemptyset(&waited);
    sigaddset(&waited, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &waited, NULL);
    sigaction(SIGUSR2, &action, NULL);
    pthread_create(&thread, NULL, run, &waited);
    sem_wait(&waiting);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR2);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d,%d\n", handled, got);
    return 0;
}
