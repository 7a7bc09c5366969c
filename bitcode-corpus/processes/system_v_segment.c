// A segment of System V shared memory stays attached in the child.
//@ outcomes: 8
//@ native
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int segment = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    int *memory = shmat(segment, 0, 0);
    if (fork() == 0) {
        *memory = 8;
        _exit(shmdt(memory) != 0);
    }
    wait(0);
    printf("%d", *memory);
    shmdt(memory);
    shmctl(segment, IPC_RMID, 0);
    return 0;
}
