// A child has a number of its own and its parent's number.
//@ outcomes: 1,1
//@ native
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    pid_t numbers[2], parent = getpid();
    if (pipe(ends)) return 1;
    pid_t child = fork();
    if (child == 0) {
        numbers[0] = getpid();
        numbers[1] = getppid();
        _exit(write(ends[1], numbers, sizeof numbers) != sizeof numbers);
    }
    if (read(ends[0], numbers, sizeof numbers) != sizeof numbers) return 1;
    wait(0);
    printf("%d,%d", numbers[0] == child, numbers[1] == parent);
    return 0;
}
