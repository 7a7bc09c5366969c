// What the child stores does not reach the parent, though both have the variable at the same address.
//@ outcomes: 1,2,1
//@ executions: 1
//@ native
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int variable = 1;

int main(void) {
    int status, local = 1;
    int *kept = &variable;
    if (fork() == 0) {
        variable = local = 2;
        _exit(*kept);
    }
    wait(&status);
    printf("%d,%d,%d", variable, WEXITSTATUS(status), local);
    return 0;
}
