// A parent waits for its child. The handler of the signal of its end runs before the wait returns, and finds no child if the
// wait has taken it. Else the wait finds none.
//@ outcomes: h-W1 hE1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t runs;

static void take(int signal) {
    int saved = errno;
    (void)signal;
    runs++;
    write(1, "h", 1);
    if (waitpid(-1, NULL, WNOHANG) < 0) write(1, "-", 1);
    errno = saved;
}

int main(void) {
    signal(SIGCHLD, take);
    if (fork() == 0) _exit(0);
    int waited = waitpid(-1, NULL, 0) > 0;
    printf("%s%d", waited ? "W" : "E", runs);
    return 0;
}
