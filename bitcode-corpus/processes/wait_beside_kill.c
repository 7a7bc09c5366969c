// A process is killed while it waits for a unit of a semaphore, which its parent has taken. It may have taken
// the unit before.
//@ outcomes: 00 01 11
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    sem_t units;
    int taken;
};

int main(void) {
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->units, 1, 1);
    pid_t child = fork();
    if (child == 0) {
        sem_wait(&shared->units);
        shared->taken = 1;
        _exit(0);
    }
    int refused = sem_trywait(&shared->units) != 0;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("%d%d\n", shared->taken, refused);
    return 0;
}
