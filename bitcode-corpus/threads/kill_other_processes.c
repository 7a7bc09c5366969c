// Signals to a process that is another user's are refused, as are those to nobody and those that are none.
//@ outcomes: 1,1,1,1,1,1
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int fails(int result, int error) {
    return result == -1 && errno == error;
}

int main(void) {
    union sigval none = {0};
    printf("%d", fails(kill(1, 0), EPERM));
    printf(",%d", fails(kill(1, 65), EINVAL));
    printf(",%d", fails(kill(999999, 0), ESRCH));
    printf(",%d", fails(sigqueue(1, 0, none), EPERM));
    printf(",%d", fails(tgkill(getpid(), 999999, 0), ESRCH));
    printf(",%d\n", tgkill(getpid(), gettid(), 0) == 0);
    return 0;
}
