// The parent forgot to close its end for writing: its read waits for itself.
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char byte;
    if (pipe(ends)) return 1;
    if (fork() == 0) _exit(0);
    wait(0);
    read(ends[0], &byte, 1); //~ ERROR: deadlock
    return 0;
}
