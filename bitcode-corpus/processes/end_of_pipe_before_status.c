// A child ends: its descriptors are closed before it can be waited for, so that a parent that has read the end of a pipe may
// find no child that has ended.
//@ outcomes: 00 01 10 11
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int pipe_ends[2];
    char byte;
    pipe2(pipe_ends, O_NONBLOCK);
    pid_t child = fork();
    if (child == 0) _exit(3);
    close(pipe_ends[1]);
    int is_closed = read(pipe_ends[0], &byte, 1) == 0;
    int has_ended = waitpid(child, NULL, WNOHANG) == child;
    printf("%d%d", is_closed, has_ended);
    return 0;
}
