// A handler ends a read that waits, though the handler itself writes what is read.
//@ outcomes: 0,1 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t reading;
static int was_read, ends[2];

static void handle(int signal) {
    (void)signal;
    if (write(ends[1], "x", 1) != 1)
        _exit(1);
}

static void *run(void *unused) {
    char byte;
    sem_post(&reading);
    was_read = read(ends[0], &byte, 1) == 1 || errno != EINTR;
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
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
    pthread_join(thread, NULL);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    printf("%d,%d\n", was_read, read(ends[0], &byte, 1) == 1);
    return 0;
}
