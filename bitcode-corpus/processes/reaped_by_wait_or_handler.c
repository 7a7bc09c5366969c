// A parent that waits for its child already takes it, and the handler of the child's signal finds none. If the signal comes
// before the wait, the handler takes it.
//@ outcomes: wait handler
//@ native
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t taken;

static void take(int signal) {
    int saved = errno;
    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        taken++;
    errno = saved;
}

int main(void) {
    struct sigaction action = {.sa_handler = take};
    struct timespec moment = {.tv_nsec = 50000000};
    sigaction(SIGCHLD, &action, NULL);
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&moment, NULL);
        _exit(0);
    }
    pid_t got = wait(NULL);
    if (got != child && (got != -1 || errno != ECHILD))
        return 1;
    if ((got == child) == taken)
        return 2;
    puts(taken ? "handler" : "wait");
    return 0;
}
