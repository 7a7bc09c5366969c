// The priority at disks of a process that never set one.
//@ outcomes: 0,0,0,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OF_PROCESS = 1, OF_NOTHING = 7 };

static long priority(int which, int who) {
    errno = 0;
    return syscall(SYS_ioprio_get, which, who);
}

int main(void) {
    printf("%ld,", priority(OF_PROCESS, 0));
    printf("%ld,", priority(OF_PROCESS, getpid()));
    printf("%ld,", priority(OF_PROCESS, (int)syscall(SYS_gettid)));
    printf("%d,", priority(OF_NOTHING, 0) == -1 && errno == EINVAL);
    printf("%d,", priority(OF_PROCESS, -5) == -1 && errno == ESRCH);
    printf("%d\n", priority(OF_PROCESS, 99999999) == -1 && errno == ESRCH);
    return 0;
}
