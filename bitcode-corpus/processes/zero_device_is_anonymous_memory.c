// A mapping of `/dev/zero` is anonymous memory: shared by processes or private, and another one each time.
//@ outcomes: 42_0_5_1_1
//@ native
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int zeros = open("/dev/zero", O_RDWR), nothing = open("/dev/null", O_RDWR);
    int *shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, zeros, 0);
    int *other = mmap(0, sizeof *other, PROT_READ | PROT_WRITE, MAP_SHARED, zeros, 0);
    int *private = mmap(0, sizeof *private, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
    close(zeros);
    *private = 5;
    if (fork() == 0) {
        *shared = 42;
        *private = 6;
        _exit(0);
    }
    wait(0);
    printf("%d_%d_%d", *shared, *other, *private);
    printf("_%d", munmap(shared, sizeof *shared) == 0);
    printf("_%d", mmap(0, 1, PROT_READ, MAP_PRIVATE, nothing, 0) == MAP_FAILED && errno == ENODEV);
    return 0;
}
