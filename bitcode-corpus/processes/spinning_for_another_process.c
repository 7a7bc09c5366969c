// A process spins until another one has stored.
//@ outcomes: 5
//@ native
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    atomic_int ready;
    int value;
};

int main(void) {
    struct shared *shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        shared->value = 5;
        atomic_store(&shared->ready, 1);
        _exit(0);
    }
    while (!atomic_load(&shared->ready)) {}
    printf("%d", shared->value);
    wait(0);
    return 0;
}
