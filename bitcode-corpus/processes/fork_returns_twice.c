// fork returns 0 in the child and the child's number in the parent, which gets it from wait again.
//@ outcomes: 1,1,7
//@ native
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status;
    pid_t child = fork();
    if (child == 0) _exit(7);
    pid_t ended = wait(&status);
    printf("%d,%d,%d", ended == child, WIFEXITED(status), WEXITSTATUS(status));
    return 0;
}
