// The program's status is that of its first process, which may end before others.
//@ outcomes: parent,child, child,parent,
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends)) return 1;
    if (fork() == 0) {
        write(1, "child,", 6);
        _exit(9);
    }
    write(1, "parent,", 7);
    return 0;
}
