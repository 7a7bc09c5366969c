// An input made before the fork has one value in both processes.
//@ outcomes: 1
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void klee_make_symbolic(void *address, size_t size, const char *name);

int main(void) {
    int status;
    unsigned char input;
    klee_make_symbolic(&input, sizeof input, "input");
    if (fork() == 0) _exit(input > 100);
    wait(&status);
    printf("%d", WEXITSTATUS(status) == (input > 100));
    return 0;
}
