// Who does not want to wait is told at once that a queue is full, or empty, whatever the time limit.
//@ outcomes: 1,1
//@ native
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    struct timespec deadline;
    char message[8] = "m";
    mqd_t queue = mq_open("/symx_full", O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attributes);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 100;
    printf("%d", mq_timedreceive(queue, message, 8, NULL, &deadline) == -1 && errno == EAGAIN);
    mq_send(queue, message, 1, 0);
    printf(",%d\n", mq_timedsend(queue, message, 1, 0, &deadline) == -1 && errno == EAGAIN);
    mq_close(queue);
    mq_unlink("/symx_full");
    return 0;
}
