// Threads count a semaphore down, and one waits until it is zero: it sees what they wrote before.
//@ outcomes: 3
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set, written[2];

static void add(short change) {
    struct sembuf operation = {0, change, 0};
    semop(set, &operation, 1);
}

static void *put(void *index) {
    written[(long)index] = 1 + (long)index;
    add(-1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    set = semget(IPC_PRIVATE, 1, 0600);
    semctl(set, 0, SETVAL, 2);
    for (long index = 0; index < 2; index++) pthread_create(&threads[index], NULL, put, (void *)index);
    add(0);
    printf("%d\n", written[0] + written[1]);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    semctl(set, 0, IPC_RMID);
    return 0;
}
