// Two processes increment a shared counter without a lock: an update is lost.
//@ outcomes: 1 2
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    volatile int *count = mmap(0, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        ++*count;
        _exit(0);
    }
    ++*count;
    wait(0);
    printf("%d", *count);
    return 0;
}
