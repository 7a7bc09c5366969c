// wait reports whichever child has ended.
//@ outcomes: 12 21
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status;
    if (fork() == 0) _exit(1);
    if (fork() == 0) _exit(2);
    wait(&status);
    printf("%d", WEXITSTATUS(status));
    wait(&status);
    printf("%d", WEXITSTATUS(status));
    return 0;
}
