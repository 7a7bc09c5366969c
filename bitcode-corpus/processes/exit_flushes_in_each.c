// exit runs routines and flushes streams in the process that calls it, with its copy of what was not written yet.
//@ outcomes: xax
//@ native
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void add(void) { printf("a"); }

int main(void) {
    printf("x");
    pid_t child = fork();
    if (child == 0) {
        atexit(add);
        exit(0);
    }
    wait(0);
    return 0;
}
