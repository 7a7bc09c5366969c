// A failure of the child is a failure of the program.
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    if (fork() == 0) {
        int *volatile nothing = 0;
        *nothing = 1; //~ ERROR: null pointer
        _exit(0);
    }
    wait(0);
    return 0;
}
