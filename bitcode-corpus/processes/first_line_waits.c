// Output that is no terminal waits in its buffer from the first line on: a child gets a copy of it, and what
// leaves by _exit loses it.
//@ native
//@ outcomes: kept
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        printf("lost\n");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    close(ends[1]);
    char byte;
    if (read(ends[0], &byte, 1) != 0)
        return 2;
    printf("kept\n");
    return fflush(stdout);
}
