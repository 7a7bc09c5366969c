// /proc/self/exe is a link to the program, which can be executed by the path that it leads to.
//@ outcomes: 1,7
//@ native
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
    char path[1000];
    int status;
    if (count == 2) _exit(atoi(arguments[1]));
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    if (fork() == 0) {
        char *passed[] = {path, "7", 0}, *environment[] = {0};
        execve(path, passed, environment);
        _exit(99);
    }
    wait(&status);
    printf("%d,%d", path[0] == '/', WEXITSTATUS(status));
    return 0;
}
