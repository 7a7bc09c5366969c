// A signal kills a child before it writes, between that and its end, or finds it ended.
//@ outcomes: k xe xk
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        write(1, "x", 1);
        _exit(0);
    }
    kill(child, SIGTERM);
    waitpid(child, &status, 0);
    write(1, WIFSIGNALED(status) ? "k" : "e", 1);
    return 0;
}
