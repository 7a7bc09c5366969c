// A child ends while two threads of its parent let the signal of that in. One of them is interrupted, perhaps late: the
// other one finds meanwhile that all ends of the pipe are closed.
//@ outcomes: mr r rm rs sr
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static __thread int is_second;
static int pipe_ends[2];

static void handle(int signal) {
    (void)signal;
    write(1, is_second ? "s" : "m", 1);
}

static void *read_end(void *unused) {
    char byte;
    is_second = 1;
    read(pipe_ends[0], &byte, 1);
    write(1, "r", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    pipe(pipe_ends);
    if (fork() == 0) _exit(0);
    close(pipe_ends[1]);
    pthread_create(&thread, NULL, read_end, NULL);
    pthread_join(thread, NULL);
    return 0;
}
