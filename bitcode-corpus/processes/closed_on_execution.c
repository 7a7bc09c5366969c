// Descriptors are kept by an execution but for those that are marked.
//@ outcomes: 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
    int status;
    if (count == 3) _exit(fcntl(atoi(arguments[1]), F_GETFD) == 0 && fcntl(atoi(arguments[2]), F_GETFD) == -1);
    int ends[2];
    if (pipe(ends)) return 1;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    if (fork() == 0) {
        char kept[8], closed[8];
        snprintf(kept, sizeof kept, "%d", ends[0]);
        snprintf(closed, sizeof closed, "%d", ends[1]);
        execl("/proc/self/exe", "again", kept, closed, (char *)0);
        _exit(99);
    }
    wait(&status);
    printf("%d", WEXITSTATUS(status));
    return 0;
}
