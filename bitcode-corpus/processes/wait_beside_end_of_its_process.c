// A process ends while another thread of it waits for a unit of a semaphore, which the ending thread has
// taken. The thread may have taken it before.
//@ outcomes: 00 01 11
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    sem_t units;
    int taken, refused;
};

static struct shared *shared;

static void *take(void *unused) {
    sem_wait(&shared->units);
    shared->taken = 1;
    return unused;
}

int main(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->units, 1, 1);
    pid_t child = fork();
    if (child == 0) {
        pthread_t taker;
        pthread_create(&taker, NULL, take, NULL);
        shared->refused = sem_trywait(&shared->units) != 0;
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("%d%d\n", shared->taken, shared->refused);
    return 0;
}
