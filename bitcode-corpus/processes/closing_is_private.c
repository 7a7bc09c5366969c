// A descriptor that the child closes stays open in the parent.
//@ outcomes: 0,1
//@ native
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2], status;
    if (pipe(ends)) return 1;
    if (fork() == 0) _exit(close(ends[1]));
    wait(&status);
    printf("%d,%d", WEXITSTATUS(status), fcntl(ends[1], F_GETFD) == 0);
    return 0;
}
