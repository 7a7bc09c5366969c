// A handler ends a write that waits for room.
//@ outcomes: -1 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t writing;
static int ends[2];
static char bytes[65536];

static void handle(int signal) {
    (void)signal;
}

static void *run(void *written) {
    sem_post(&writing);
    *(int *)written = (int)write(ends[1], "x", 1);
    if (*(int *)written == -1 && errno != EINTR)
        _exit(1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle};
    struct timespec moment = {.tv_nsec = 50000000};
    int written;
    if (pipe(ends) || write(ends[1], bytes, sizeof bytes) != sizeof bytes)
        return 1;
    sem_init(&writing, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, &written);
    sem_wait(&writing);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    nanosleep(&moment, NULL);
    if (read(ends[0], bytes, sizeof bytes) != sizeof bytes)
        return 1;
    pthread_join(thread, NULL);
    printf("%d\n", written);
    return 0;
}
