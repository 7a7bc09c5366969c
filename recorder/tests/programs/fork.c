/* The child of a fork goes on in frames it shares with nobody. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int work;

static int half(int n) {
    for (int i = 0; i < n; i++)
        if (i % 3) work++;
    return work / 2;
}

int main(void) {
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 50000; i++) half(9);
        exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return half(4) && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
