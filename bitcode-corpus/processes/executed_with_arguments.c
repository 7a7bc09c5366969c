// The program executes itself: new memory, new arguments, a new environment.
//@ outcomes: 1,7,1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int variable = 1;

int main(int count, char **arguments) {
    int status;
    if (count == 3) _exit(strcmp(getenv("KEY"), "value") ? 0 : variable + atoi(arguments[1]) + atoi(arguments[2]));
    variable = 100;
    if (fork() == 0) {
        char *passed[] = {"again", "2", "4", 0}, *environment[] = {"KEY=value", 0};
        execve("/proc/self/exe", passed, environment);
        _exit(99);
    }
    wait(&status);
    printf("%d,%d,%d", WIFEXITED(status), WEXITSTATUS(status), variable == 100);
    return 0;
}
