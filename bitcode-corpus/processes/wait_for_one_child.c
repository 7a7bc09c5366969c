// waitpid waits for the child that it names, in whatever order they end.
//@ outcomes: 2,1
//@ native
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int first_status, second_status;
    pid_t first = fork();
    if (first == 0) _exit(1);
    pid_t second = fork();
    if (second == 0) _exit(2);
    waitpid(second, &second_status, 0);
    waitpid(first, &first_status, 0);
    printf("%d,%d", WEXITSTATUS(second_status), WEXITSTATUS(first_status));
    return 0;
}
