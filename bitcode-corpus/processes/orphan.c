// A process goes on after its parent's end, and no process waits for it.
//@ outcomes: ok
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char byte = 0;
    if (pipe(ends)) return 1;
    if (fork() == 0) {
        if (fork() == 0) _exit(write(ends[1], "x", 1) != 1);
        _exit(0);
    }
    wait(0);
    if (read(ends[0], &byte, 1) != 1) return 1;
    printf("%s", byte == 'x' ? "ok" : "no");
    return 0;
}
