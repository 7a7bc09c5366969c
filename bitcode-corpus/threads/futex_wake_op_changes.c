// FUTEX_WAKE_OP changes the second word whether or not somebody sleeps.
//@ outcomes: 0,3
//@ native
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int first, second = 1;

int main(void) {
    int change = FUTEX_OP(FUTEX_OP_ADD, 2, FUTEX_OP_CMP_EQ, 1);
    printf("%ld", syscall(SYS_futex, &first, FUTEX_WAKE_OP, 1, 1, &second, change));
    printf(",%d\n", second);
    return 0;
}
