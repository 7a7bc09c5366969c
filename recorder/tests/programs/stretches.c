/* Loops without calls, long enough to be interrupted, in a function that calls. The argument says by what: nothing, a handler that
 * runs instrumented loops itself, or one that forks. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sum;
static volatile pid_t child = -1;

static void works(int number) {
    (void)number;
    for (int i = 0; i < 100; i++)
        if (i % 3) sum++;
}

static void forks(int number) {
    (void)number;
    if (child == -1) child = fork();
}

/* Every way of a round is taken, and how often the innermost loop goes round differs. */
__attribute__((noinline)) static unsigned way(unsigned rounds) {
    unsigned state = rounds;
    for (unsigned i = 0; i < rounds; i++) {
        state = state * 1103515245u + 12345u;
        if (state & 0x10000) sum += state;
        else if (state & 0x20000) sum ^= state;
        for (unsigned j = 0; j < (state >> 28); j++) sum += j;
    }
    return state;
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "nothing";
    int is_interrupted = strcmp(what, "nothing") != 0;
    signal(SIGALRM, strcmp(what, "forks") == 0 ? forks : works);
    struct itimerval every = {{0, is_interrupted ? 200 : 0}, {0, is_interrupted ? 200 : 0}}, never = {0};
    setitimer(ITIMER_REAL, &every, 0);
    for (unsigned rounds = 1; rounds < 600000; rounds *= 3) sum += way(rounds);
    setitimer(ITIMER_REAL, &never, 0);
    if (child == 0) _exit(5);
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
    return child > 0 ? WEXITSTATUS(status) : 0;
}
