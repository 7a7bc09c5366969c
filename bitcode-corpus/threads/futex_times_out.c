// A wait with a limit ends.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int word;

int main(void) {
    struct timespec moment = {.tv_nsec = 1000};
    long result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &moment, NULL, 0);
    printf("%d\n", result == -1 && errno == ETIMEDOUT);
    return 0;
}
