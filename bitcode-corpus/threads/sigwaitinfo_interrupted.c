// Who waits for one signal is interrupted by the handler of another, unless that came before; a time limit has to be a time.
//@ outcomes: 1,1 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t waiting;
static int is_refused, interrupted;

static void handle(int signal) {
    (void)signal;
}

static void *run(void *waited) {
    struct timespec bad = {.tv_nsec = 1000000000};
    is_refused = sigtimedwait(waited, NULL, &bad) == -1 && errno == EINVAL;
    sem_post(&waiting);
    interrupted = sigwaitinfo(waited, NULL) == -1 && errno == EINTR;
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
    printf("%d,%d\n", is_refused, interrupted);
    return 0;
}
