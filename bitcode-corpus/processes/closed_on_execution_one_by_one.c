// An execution closes descriptors that are marked for it one by one, the lowest first: who has seen the end of the
// first pipe may find the second still open. Who has seen the end of the second finds the first closed.
//@ outcomes: 01 11
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_at_end(int descriptor) {
    struct pollfd awaited = {.fd = descriptor, .events = POLLIN};
    return poll(&awaited, 1, 0) == 1;
}

static void await_end(int descriptor) {
    char byte;
    if (read(descriptor, &byte, 1) != 0) _exit(98);
}

int main(int count, char **arguments) {
    (void)arguments;
    if (count == 2) _exit(0);
    int first[2], second[2];
    if (pipe2(first, O_CLOEXEC) || pipe2(second, O_CLOEXEC)) return 1;
    if (fork() == 0) {
        execl("/proc/self/exe", "again", "executed", (char *)0);
        _exit(99);
    }
    close(first[1]);
    close(second[1]);
    await_end(first[0]);
    printf("%d", is_at_end(second[0]));
    await_end(second[0]);
    printf("%d", is_at_end(first[0]));
    wait(0);
    return 0;
}
