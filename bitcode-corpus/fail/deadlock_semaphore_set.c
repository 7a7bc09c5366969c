// Both semaphores of a set are taken together, and only one is ever posted.
#include <pthread.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void *post(void *unused) {
    struct sembuf operation = {0, 1, 0};
    semop(set, &operation, 1);
    return unused;
}

int main(void) {
    struct sembuf operations[2] = {{0, -1, 0}, {1, -1, 0}};
    pthread_t thread;
    set = semget(IPC_PRIVATE, 2, 0600);
    pthread_create(&thread, NULL, post, NULL);
    semop(set, operations, 2); //~ ERROR: waits for semaphore 1 of the System V set 0 to be at least 1
    pthread_join(thread, NULL);
    return 0;
}
