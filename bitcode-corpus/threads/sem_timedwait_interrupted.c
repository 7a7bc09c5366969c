// A handler interrupts a wait with a time limit at a semaphore, even one that is to restart calls (as on Linux). If it comes before
// the wait, or the time is over first, it does not.
//@ outcomes: 1,1 0,1 0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t semaphore, waiting;
static int interrupted, handled;

static void handle(int signal) {
    (void)signal;
    handled++;
}

static void *run(void *unused) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 100;
    sem_post(&waiting);
    interrupted = sem_timedwait(&semaphore, &deadline) == -1 && errno == EINTR;
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
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
    printf("%d,%d\n", interrupted, handled);
    return 0;
}
