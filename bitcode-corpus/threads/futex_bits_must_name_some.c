// A wait or a wake-up for no bit is refused.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void) {
    long waited = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0);
    printf("%d", waited == -1 && errno == EINVAL);
    long woken = syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0);
    printf(",%d\n", woken == -1 && errno == EINVAL);
    return 0;
}
