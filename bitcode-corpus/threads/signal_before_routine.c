// Signals and a request to cancel are sent to a thread that has not begun. It takes them when it has: a handler that acts on the
// request ends the thread, and its routine does not begin behind that.
//@ outcomes: 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void handle(int signal) {
    (void)signal;
    (void)!write(ends[1], "x", 1);
}

static void *run(void *unused) {
    char byte;
    (void)!read(ends[0], &byte, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    if (pipe(ends))
        return 1;
    pthread_create(&thread, NULL, run, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_kill(thread, SIGUSR1);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED || result == NULL);
    return 0;
}
