// The word must be aligned.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static char bytes[8] __attribute__((aligned(8)));

int main(void) {
    long result = syscall(SYS_futex, bytes + 1, FUTEX_WAKE, 1, NULL, NULL, 0);
    printf("%d\n", result == -1 && errno == EINVAL);
    return 0;
}
