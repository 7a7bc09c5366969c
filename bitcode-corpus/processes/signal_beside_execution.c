// A signal comes to a child before `execve`, where its handler runs, or to the program behind it, which it kills.
//@ outcomes: hxe k xe xk
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void handle(int signal) {
    (void)signal;
    write(1, "h", 1);
}

int main(int count, char **arguments) {
    (void)arguments;
    if (count == 2) {
        write(1, "x", 1);
        _exit(0);
    }
    int status;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "again", "executed", (char *)0);
        _exit(9);
    }
    kill(child, SIGUSR1);
    waitpid(child, &status, 0);
    write(1, WIFSIGNALED(status) ? "k" : "e", 1);
    return 0;
}
