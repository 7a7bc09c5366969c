// The signal of a child's end comes between two stores of its parent. The child is gone by then.
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t phase, seen;

static void look(int signal) {
    (void)signal;
    if (phase == 1) seen = 1;
}

int main(void) {
    signal(SIGCHLD, look);
    if (fork() == 0) _exit(0);
    phase = 1;
    phase = 2;
    while (wait(NULL) < 0)
        ;
    assert(!seen); //~ ERROR: assert
    return 0;
}
