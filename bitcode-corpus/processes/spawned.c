// posix_spawn starts the program again, with what the file actions say. The parent learns what failed.
//@ outcomes: again,7,1,2,9
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int variable = 1;

int main(int count, char **arguments) {
    if (count == 2) {
        if (write(1, arguments[1], 5) != 5) return 1;
        return 6 + variable;
    }
    variable = 100;
    int ends[2], status;
    pid_t child;
    char *passed[] = {arguments[0], "again", 0}, text[6] = "";
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC)) return 1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    if (posix_spawn(&child, "/proc/self/exe", &actions, 0, passed, environ)) return 2;
    if (waitpid(child, &status, 0) != child || read(ends[0], text, 5) != 5) return 3;
    int missing = posix_spawn(&child, "", &actions, 0, passed, environ);
    close(ends[1]);
    int closed = posix_spawn(&child, "/proc/self/exe", &actions, 0, passed, environ);
    printf("%s,%d,%d,%d,%d", text, WEXITSTATUS(status), variable == 100, missing, closed);
    return 0;
}
