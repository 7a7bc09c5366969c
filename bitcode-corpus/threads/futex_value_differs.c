// Waiting for a change of what is different already does not wait.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word = 1;

int main(void) {
    long result = syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    printf("%d\n", result == -1 && errno == EAGAIN);
    return 0;
}
