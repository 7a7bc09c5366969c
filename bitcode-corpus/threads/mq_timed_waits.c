// A wait ends when its time is up, in a full queue as in an empty one; what is no time is an error at once.
//@ outcomes: 1,1,1,1,1,1
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
    snprintf(name, sizeof name, "/symx_timed_waits-%d", getpid());
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    struct timespec limit, after, wrong = {0, 1000000000};
    char byte;
    mq_unlink(name);
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 20000000;
    if (limit.tv_nsec >= 1000000000) limit.tv_sec++, limit.tv_nsec -= 1000000000;
    printf("%d", fails(mq_timedreceive(queue, &byte, 1, NULL, &limit), ETIMEDOUT));
    clock_gettime(CLOCK_REALTIME, &after);
    printf(",%d", after.tv_sec > limit.tv_sec || after.tv_sec == limit.tv_sec && after.tv_nsec >= limit.tv_nsec);
    printf(",%d", fails(mq_timedreceive(queue, &byte, 1, NULL, &wrong), EINVAL));
    printf(",%d", mq_timedsend(queue, "a", 1, 0, &limit) == 0);
    printf(",%d", fails(mq_timedsend(queue, "a", 1, 0, &limit), ETIMEDOUT));
    printf(",%d\n", fails(mq_timedsend(queue, "a", 1, 0, &wrong), EINVAL));
    mq_unlink(name);
    return 0;
}
