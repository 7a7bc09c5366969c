// An unnamed semaphore in shared memory orders two processes.
//@ outcomes: 9
//@ native
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    sem_t ready;
    int value;
};

int main(void) {
    struct shared *shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->ready, 1, 0);
    if (fork() == 0) {
        shared->value = 9;
        sem_post(&shared->ready);
        _exit(0);
    }
    sem_wait(&shared->ready);
    printf("%d", shared->value);
    wait(0);
    return 0;
}
