// The message of the highest priority comes first, of those of one priority the oldest; the queue says what it holds.
//@ outcomes: c7,a3,b3,2,left0
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
    snprintf(name, sizeof name, "/symx_by_priority-%d", getpid());
    struct mq_attr attributes = {.mq_maxmsg = 3, .mq_msgsize = 1};
    char byte;
    unsigned priority;
    mq_unlink(name);
    mqd_t queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
    mq_send(queue, "a", 1, 3);
    mq_send(queue, "b", 1, 3);
    mq_send(queue, "c", 1, 7);
    mq_receive(queue, &byte, 1, &priority);
    printf("%c%u,", byte, priority);
    mq_getattr(queue, &attributes);
    long held = attributes.mq_curmsgs;
    mq_receive(queue, &byte, 1, &priority);
    printf("%c%u,", byte, priority);
    mq_receive(queue, &byte, 1, &priority);
    printf("%c%u,%ld,", byte, priority, held);
    mq_getattr(queue, &attributes);
    printf("left%ld\n", attributes.mq_curmsgs);
    mq_close(queue);
    mq_unlink(name);
    return 0;
}
