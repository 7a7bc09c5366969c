// A signal comes to a child before it writes, between that and its end, or after its end.
//@ outcomes: hxe xe xhe
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void handle(int signal) {
    (void)signal;
    write(1, "h", 1);
}

int main(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    pid_t child = fork();
    if (child == 0) {
        write(1, "x", 1);
        _exit(0);
    }
    kill(child, SIGUSR1);
    waitpid(child, NULL, 0);
    write(1, "e", 1);
    return 0;
}
