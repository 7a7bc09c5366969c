// Messages that are too long, buffers that are too short, priorities that are none, and descriptors for the other way.
//@ outcomes: 1,1,1,1,1,1,1,1,1
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

static int fails(long result, int error) {
    return result == -1 && errno == error;
}

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/symx_errors-%d", getpid());
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 4};
    char buffer[8] = "message";
    mq_unlink(name);
    mqd_t sender = mq_open(name, O_CREAT | O_WRONLY, 0600, &attributes);
    mqd_t receiver = mq_open(name, O_RDONLY | O_NONBLOCK);
    printf("%d", fails(mq_send(sender, buffer, 5, 0), EMSGSIZE));
    printf(",%d", fails(mq_send(sender, buffer, 4, 32768), EINVAL));
    printf(",%d", fails(mq_send(receiver, buffer, 4, 0), EBADF));
    printf(",%d", fails(mq_send(-1, buffer, 4, 0), EBADF));
    printf(",%d", fails(mq_receive(receiver, buffer, 8, NULL), EAGAIN));
    printf(",%d", fails(mq_receive(receiver, buffer, 3, NULL), EMSGSIZE));
    printf(",%d", fails(mq_receive(sender, buffer, 8, NULL), EBADF));
    printf(",%d", fails(mq_receive(0, buffer, 8, NULL), EBADF));
    printf(",%d\n", fails(mq_getattr(-1, &attributes), EBADF));
    mq_unlink(name);
    return 0;
}
