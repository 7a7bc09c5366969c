// A child has the limits that its parent had, and those that it sets are its own.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    struct rlimit limit = {4, 8}, found;
    assert(!setrlimit(RLIMIT_NOFILE, &limit) && dup(0) == 3);
    if (fork() == 0) {
        assert(dup(0) < 0 && errno == EMFILE);
        limit.rlim_cur = 5;
        assert(!setrlimit(RLIMIT_NOFILE, &limit) && dup(0) == 4);
        // What only the superuser may.
        limit.rlim_max = 9;
        _exit(setrlimit(RLIMIT_NOFILE, &limit) < 0 && errno == EPERM ? 7 : 1);
    }
    int status;
    wait(&status);
    assert(WEXITSTATUS(status) == 7);
    assert(!getrlimit(RLIMIT_NOFILE, &found) && found.rlim_cur == 4 && found.rlim_max == 8);
    assert(dup(0) < 0 && errno == EMFILE);
    return 0;
}
