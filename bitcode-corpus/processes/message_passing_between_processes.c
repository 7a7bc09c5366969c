// Stores of one process arrive in another as the memory model says.
//@ outcomes[sc,tso]: 00 01 11
//@ outcomes[pso]: 00 01 10 11
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    volatile int *cells = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        cells[0] = 1;
        cells[1024] = 1;
        _exit(0);
    }
    int flag = cells[1024], data = cells[0];
    printf("%d%d", flag, data);
    wait(0);
    return 0;
}
