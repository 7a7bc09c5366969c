// The shell is hidden, as other files of the host are: a command ends as on a machine without one.
//@ outcomes: 0,127,1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void) {
    int has_shell = system(NULL);
    int status = system("echo said");
    errno = 0;
    int fails = popen("echo said", "r") == NULL && errno == ENOENT;
    printf("%d,%d,%d\n", has_shell, WIFEXITED(status) ? WEXITSTATUS(status) : -1, fails);
    return 0;
}
