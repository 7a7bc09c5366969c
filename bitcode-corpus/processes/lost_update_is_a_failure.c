// The assertion fails where an update of the shared counter is lost.
#include <assert.h>
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
    assert(*count == 2); //~ ERROR: assertion
    return 0;
}
