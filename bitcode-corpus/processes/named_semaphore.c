// Both processes open a semaphore by its name, after the fork.
//@ outcomes: 9
//@ native
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int *value = mmap(0, sizeof *value, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    // Several of these programs may run at the same time.
    char name[32];
    snprintf(name, sizeof name, "/symx-processes-%d", (int)getpid());
    pid_t child = fork();
    sem_t *ready = sem_open(name, O_CREAT, 0600, 0);
    if (child == 0) {
        *value = 9;
        sem_post(ready);
        _exit(0);
    }
    sem_wait(ready);
    printf("%d", *value);
    wait(0);
    sem_unlink(name);
    return 0;
}
