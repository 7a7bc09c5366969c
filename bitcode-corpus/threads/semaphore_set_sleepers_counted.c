// How many threads wait for a semaphore is asked for beside one that comes to do so, or to wait for zero.
//@ outcomes: 00 01 10 11
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void *operate(void *change) {
    struct sembuf operation = {change != NULL, change ? -1 : 0, 0};
    semop(set, &operation, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    set = semget(IPC_PRIVATE, 2, 0600);
    semctl(set, 0, SETVAL, 1);
    for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, operate, index ? &set : NULL);
    int for_zero = semctl(set, 0, GETZCNT);
    printf("%d%d\n", for_zero, semctl(set, 1, GETNCNT));
    semctl(set, 0, SETVAL, 0);
    semctl(set, 1, SETVAL, 1);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    semctl(set, 0, IPC_RMID);
    return 0;
}
