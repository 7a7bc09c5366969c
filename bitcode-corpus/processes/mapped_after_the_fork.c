// Two processes map one part of a shared-memory object after the fork.
//@ outcomes: 7
//@ native
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int file = shm_open("/symx-mapped-after", O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, 4096)) return 1;
    pid_t child = fork();
    char *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (child == 0) {
        memory[0] = 7;
        _exit(0);
    }
    wait(0);
    printf("%d", memory[0]);
    shm_unlink("/symx-mapped-after");
    return 0;
}
