// An operation that does not exist is refused.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void) {
    long result = syscall(SYS_futex, &word, 100, 1, NULL, NULL, 0);
    printf("%d\n", result == -1 && errno == ENOSYS);
    return 0;
}
