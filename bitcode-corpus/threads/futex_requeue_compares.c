// Nothing is moved if the word is not as expected.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int here = 5, there;

int main(void) {
    long result = syscall(SYS_futex, &here, FUTEX_CMP_REQUEUE, 1, 1, &there, 4);
    printf("%d\n", result == -1 && errno == EAGAIN);
    return 0;
}
