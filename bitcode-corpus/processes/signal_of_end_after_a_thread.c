// A thread looks into a pipe and ends. Had it gone on, the signal of the end of the writer might have interrupted it. The
// other thread is in a wait for the writer then, whose handler runs before the wait returns.
//@ outcomes: 0mw 0sw 0ws 1mw 1sw 1ws m0w m1w mw0 mw1 s0w s1w sw0 sw1 wm1 ws0 ws1
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static __thread int is_reader;
static int pipe_ends[2];

static void handle(int signal) {
    (void)signal;
    write(1, is_reader ? "s" : "m", 1);
}

static void *look(void *unused) {
    char byte;
    is_reader = 1;
    write(1, read(pipe_ends[0], &byte, 1) == 1 ? "1" : "0", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    pipe2(pipe_ends, O_NONBLOCK);
    pid_t child = fork();
    if (child == 0) {
        write(pipe_ends[1], "a", 1);
        _exit(0);
    }
    pthread_create(&thread, NULL, look, NULL);
    waitpid(child, NULL, 0);
    write(1, "w", 1);
    pthread_join(thread, NULL);
    return 0;
}
