// A child that raises SIGABRT has failed, as one that calls abort has: no other process has sent it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    if (fork() == 0)
        raise(SIGABRT); //~ ERROR: abort called
    wait(NULL);
    return 0;
}
