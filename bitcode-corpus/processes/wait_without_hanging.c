// With WNOHANG the answer is 0 as long as the child goes on.
//@ outcomes: 0 1
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    pid_t ended = waitpid(child, 0, WNOHANG);
    printf("%d", ended == child);
    if (ended == 0) waitpid(child, 0, 0);
    return 0;
}
