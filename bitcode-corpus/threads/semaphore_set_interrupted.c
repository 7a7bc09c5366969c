// A handler ends the wait for a semaphore of a set even if it is to restart calls.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set, ended;

static void add(short change) {
    struct sembuf operation = {0, change, 0};
    int result = semop(set, &operation, 1);
    ended = result == 0 || errno == EINTR;
}

static void handle(int signal) {
    (void)signal;
    add(1);
}

static void *take(void *unused) {
    add(-1);
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    pthread_t thread;
    sigaction(SIGUSR1, &action, NULL);
    set = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&thread, NULL, take, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d\n", ended);
    semctl(set, 0, IPC_RMID);
    return 0;
}
