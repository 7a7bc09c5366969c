// A set is removed beside a thread that takes a semaphore of it: the thread is woken, or finds no set.
//@ outcomes: EIDRM EINVAL
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set, error;

static void *take(void *unused) {
    struct sembuf operation = {0, -1, 0};
    if (semop(set, &operation, 1) == -1) error = errno;
    return unused;
}

int main(void) {
    pthread_t thread;
    set = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&thread, NULL, take, NULL);
    semctl(set, 0, IPC_RMID);
    pthread_join(thread, NULL);
    printf("%s\n", error == EIDRM ? "EIDRM" : error == EINVAL ? "EINVAL" : "none");
    return 0;
}
