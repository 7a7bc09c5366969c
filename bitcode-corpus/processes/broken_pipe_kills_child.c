// Writing to a pipe without readers kills the child, and the parent learns by which signal.
//@ outcomes: 1,13
//@ native
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2], status;
    if (pipe(ends)) return 1;
    close(ends[0]);
    if (fork() == 0) {
        ssize_t written = write(ends[1], "x", 1);
        _exit(written == 1);
    }
    wait(&status);
    printf("%d,%d", WIFSIGNALED(status), WTERMSIG(status));
    return 0;
}
