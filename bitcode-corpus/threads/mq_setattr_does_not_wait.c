// All that mq_setattr changes is whether a thread waits; it says how that was.
//@ outcomes: 1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/symx_setattr-%d", getpid());
    struct mq_attr new = {.mq_flags = O_NONBLOCK, .mq_maxmsg = 9}, old, wrong = {.mq_flags = O_APPEND};
    char buffer[8192];
    mq_unlink(name);
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
    printf("%d", mq_setattr(queue, &new, &old) == 0 && old.mq_flags == 0);
    printf(",%d", mq_receive(queue, buffer, sizeof buffer, NULL) == -1 && errno == EAGAIN);
    printf(",%d", mq_getattr(queue, &old) == 0 && old.mq_flags == O_NONBLOCK && old.mq_maxmsg == 10);
    printf(",%d\n", mq_setattr(queue, &wrong, NULL) == -1 && errno == EINVAL);
    mq_unlink(name);
    return 0;
}
