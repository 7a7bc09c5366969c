// A thread stores to a System V segment that main may have detached.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/shm.h>

static int *shared;

static void *store(void *unused) {
    *shared = 1; //~ ERROR: use after free
    return unused;
}

int main(void) {
    int segment = shmget(IPC_PRIVATE, sizeof(int), IPC_CREAT | 0600);
    shared = shmat(segment, 0, 0);
    pthread_t thread;
    pthread_create(&thread, 0, store, 0);
    shmdt(shared);
    pthread_join(thread, 0);
    shmctl(segment, IPC_RMID, 0);
    return 0;
}
