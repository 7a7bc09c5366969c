// Without a child there is nothing to wait for, nor is there a second time.
//@ outcomes: 1,1,1,1
//@ native
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    printf("%d,", wait(0) == -1 && errno == ECHILD);
    pid_t child = fork();
    if (child == 0) _exit(0);
    printf("%d,", waitpid(child, 0, 0) == child);
    printf("%d,", waitpid(child, 0, 0) == -1 && errno == ECHILD);
    printf("%d", waitpid(child, 0, WNOHANG) == -1 && errno == ECHILD);
    return 0;
}
