// Memory from malloc is copied, and what either allocates afterwards is its own.
//@ outcomes: 5,6
//@ native
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status;
    int *cell = malloc(sizeof *cell);
    *cell = 5;
    if (fork() == 0) {
        int *own = malloc(sizeof *own);
        *own = ++*cell;
        int code = *own;
        free(cell);
        free(own);
        _exit(code);
    }
    wait(&status);
    printf("%d,%d", *cell, WEXITSTATUS(status));
    free(cell);
    return 0;
}
