// A limited wait for a semaphore ends with a post, or when its time is up.
//@ outcomes: 0 1
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>

static int set;

static void *post(void *unused) {
    struct sembuf operation = {0, 1, 0};
    semop(set, &operation, 1);
    return unused;
}

int main(void) {
    struct sembuf operation = {0, -1, 0};
    struct timespec limit = {0, 1000000};
    pthread_t thread;
    set = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&thread, NULL, post, NULL);
    int result = semtimedop(set, &operation, 1, &limit);
    printf("%d\n", result == -1 && errno == EAGAIN);
    pthread_join(thread, NULL);
    semctl(set, 0, IPC_RMID);
    return 0;
}
