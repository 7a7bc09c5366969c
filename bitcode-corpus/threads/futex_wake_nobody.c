// Waking where nobody sleeps wakes nobody.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void) {
    printf("%ld\n", syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0));
    return 0;
}
