// A request and its answer over two pipes.
//@ outcomes: 42
//@ native
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int there[2], back[2], number = 41;
    if (pipe(there) || pipe(back)) return 1;
    if (fork() == 0) {
        int seen;
        if (read(there[0], &seen, sizeof seen) != sizeof seen) _exit(1);
        seen++;
        _exit(write(back[1], &seen, sizeof seen) != sizeof seen);
    }
    if (write(there[1], &number, sizeof number) != sizeof number) return 1;
    if (read(back[0], &number, sizeof number) != sizeof number) return 1;
    wait(0);
    printf("%d", number);
    return 0;
}
