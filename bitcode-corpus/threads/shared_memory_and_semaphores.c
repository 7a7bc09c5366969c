// Two threads find memory and a semaphore by the same keys, and count in the one under the other.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

static key_t key;

static void *count(void *unused) {
    struct sembuf take = {0, -1, SEM_UNDO}, give = {0, 1, SEM_UNDO};
    int set = semget(key, 1, 0), segment = shmget(key, sizeof(int), 0);
    int *counter = shmat(segment, NULL, 0);
    semop(set, &take, 1);
    ++*counter;
    semop(set, &give, 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    key = 0x53790000 ^ getpid();
    int set = semget(key, 1, IPC_CREAT | 0600), segment = shmget(key, sizeof(int), IPC_CREAT | 0600);
    int *counter = shmat(segment, NULL, 0);
    semctl(set, 0, SETVAL, 1);
    for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, count, NULL);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    printf("%d\n", *counter);
    shmctl(segment, IPC_RMID, NULL);
    semctl(set, 0, IPC_RMID);
    return 0;
}
