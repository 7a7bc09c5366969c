/* Goes a long way of branches that look random, some levels deep, and then aborts or, if told to, forks or is killed. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sum;

static unsigned step(unsigned state) {
    state = state * 1103515245u + 12345u;
    if (state & 0x10000) sum += state;
    else if (state & 0x20000) sum ^= state;
    return state;
}

static void way(int depth, long steps) {
    if (depth > 0) {
        way(depth - 1, steps);
        sum++;
        return;
    }
    unsigned state = 1;
    for (long i = 0; i < steps; i++) state = step(state);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    way(40, atol(arguments[2]));
    if (strcmp(arguments[1], "fork") == 0) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            way(3, atol(arguments[2]));
            _exit(4);
        }
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    }
    if (strcmp(arguments[1], "kill") == 0) raise(SIGKILL);
    if (strcmp(arguments[1], "return") == 0) return 0;
    abort();
}
