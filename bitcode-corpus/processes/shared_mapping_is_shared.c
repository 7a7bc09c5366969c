// An anonymous shared mapping is one object in both processes.
//@ outcomes: 42
//@ native
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int *cell = mmap(0, sizeof *cell, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        *cell = 42;
        _exit(0);
    }
    wait(0);
    printf("%d", *cell);
    return 0;
}
