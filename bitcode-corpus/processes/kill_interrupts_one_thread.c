// A child sends its parent a signal that both of its threads let in, and then a byte. One of the threads is interrupted,
// perhaps late: the other one reads the byte meanwhile.
//@ outcomes: mr rm sr
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static __thread int is_second;
static int pipe_ends[2];

static void handle(int signal) {
    (void)signal;
    write(1, is_second ? "s" : "m", 1);
}

static void *read_byte(void *unused) {
    char byte;
    is_second = 1;
    read(pipe_ends[0], &byte, 1);
    write(1, "r", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    pipe(pipe_ends);
    if (fork() == 0) {
        kill(getppid(), SIGUSR1);
        write(pipe_ends[1], "b", 1);
        _exit(0);
    }
    pthread_create(&thread, NULL, read_byte, NULL);
    pthread_join(thread, NULL);
    return 0;
}
