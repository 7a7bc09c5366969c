// A parent that vfork has held up goes on before its child's execution has closed a descriptor.
//@ outcomes: 0 1
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
    (void)arguments;
    if (count == 2) _exit(0);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return 1;
    if (vfork() == 0) {
        execl("/proc/self/exe", "again", "executed", (char *)0);
        _exit(99);
    }
    close(ends[1]);
    struct pollfd awaited = {.fd = ends[0], .events = POLLIN};
    printf("%d", poll(&awaited, 1, 0));
    wait(0);
    return 0;
}
