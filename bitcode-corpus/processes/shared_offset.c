// Both processes write through one open file: it has one offset, so nothing is overwritten.
//@ outcomes: ab ba
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char text[3] = "";
    int file = open("symx-shared-offset", O_RDWR | O_CREAT | O_TRUNC, 0600);
    unlink("symx-shared-offset");
    if (fork() == 0) _exit(write(file, "a", 1) != 1);
    if (write(file, "b", 1) != 1) return 1;
    wait(0);
    if (pread(file, text, 2, 0) != 2) return 1;
    printf("%s", text);
    return 0;
}
