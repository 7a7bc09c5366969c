// A child ends: its descriptors are closed one after the other, on Linux the last one first. Its parent may find one of two
// pipes at its end.
//@ outcomes: 00 01 11
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int first[2], second[2];
    pipe(first);
    pipe(second);
    if (fork() == 0) _exit(3);
    close(first[1]);
    close(second[1]);
    struct pollfd entries[2] = {{.fd = first[0]}, {.fd = second[0]}};
    poll(entries, 2, 0);
    printf("%d%d", entries[0].revents != 0, entries[1].revents != 0);
    return 0;
}
