// The child stores to its own copy, so the parent spins forever.
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int ready;

int main(void) {
    if (fork() == 0) {
        atomic_store(&ready, 1);
        _exit(0);
    }
    while (!atomic_load(&ready)) {} //~ ERROR: livelock
    wait(0);
    return 0;
}
