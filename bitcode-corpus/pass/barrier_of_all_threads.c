// membarrier: what there is, and that a process says first that it will ask for it.
//@ outcomes: 1,1,1,1,0,0,7
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int known(int command, int flags) {
    errno = 0;
    return syscall(SYS_membarrier, command, flags, 0);
}

static int data;

static void *other(void *unused) {
    known(MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
    data = 7;
    return unused;
}

int main(void) {
    int there = MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
    printf("%d,", (known(MEMBARRIER_CMD_QUERY, 0) & there) == there);
    printf("%d,", known(MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) == -1 && errno == EPERM);
    printf("%d,", known(MEMBARRIER_CMD_QUERY, 1) == -1 && errno == EINVAL);
    printf("%d,", known(1 << 20, 0) == -1 && errno == EINVAL);
    printf("%d,", known(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0));
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    printf("%d,", known(MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0));
    pthread_join(thread, NULL);
    printf("%d\n", data);
    return 0;
}
