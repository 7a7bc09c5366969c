// A process-shared barrier is met by two processes.
//@ outcomes: 3
//@ native
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_barrier_t barrier;
    int values[2];
};

int main(void) {
    struct shared *shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &attributes, 2);
    pid_t child = fork();
    shared->values[child == 0] = child == 0 ? 2 : 1;
    pthread_barrier_wait(&shared->barrier);
    if (child == 0) _exit(0);
    printf("%d", shared->values[0] + shared->values[1]);
    wait(0);
    return 0;
}
