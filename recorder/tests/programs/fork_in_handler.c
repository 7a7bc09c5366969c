/* A handler forks, and the child goes on where it was interrupted. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t child = -1;
static volatile int work;

static void divide(int number) {
    (void)number;
    child = fork();
}

static int half(int n) {
    for (int i = 0; i < n; i++)
        if (i % 3) work++;
    return work / 2;
}

int main(void) {
    signal(SIGUSR1, divide);
    half(4);
    raise(SIGUSR1);
    for (int i = 0; i < 1000; i++) half(9);
    if (child == 0) exit(5);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
