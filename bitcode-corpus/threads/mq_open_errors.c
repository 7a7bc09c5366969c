// What has no slash in front, is there already, is not there, or is no size.
//@ outcomes: 1,1,1,1,1,1,1,1,1,1
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

static int fails(mqd_t queue, int error) {
    return queue == (mqd_t)-1 && errno == error;
}

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/symx_open_errors-%d", getpid());
    struct mq_attr none = {.mq_maxmsg = 0, .mq_msgsize = 1}, negative = {.mq_maxmsg = 1, .mq_msgsize = -1};
    char longest[300];
    memset(longest, 'x', sizeof longest);
    longest[0] = '/';
    longest[299] = 0;
    mq_unlink(name);
    printf("%d", fails(mq_open("symx", O_CREAT | O_RDWR, 0600, NULL), EINVAL));
    printf(",%d", fails(mq_open(name, O_RDWR), ENOENT));
    printf(",%d", fails(mq_open(name, O_CREAT | O_RDWR, 0600, &none), EINVAL));
    printf(",%d", fails(mq_open(name, O_CREAT | O_RDWR, 0600, &negative), EINVAL));
    printf(",%d", fails(mq_open("/symx/open", O_CREAT | O_RDWR, 0600, NULL), EACCES));
    printf(",%d", fails(mq_open(longest, O_CREAT | O_RDWR, 0600, NULL), ENAMETOOLONG));
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
    printf(",%d", fails(mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, NULL), EEXIST));
    printf(",%d", mq_close(queue) == 0 && mq_close(queue) == -1 && errno == EBADF);
    printf(",%d", mq_unlink(name) == 0 && mq_unlink(name) == -1 && errno == ENOENT);
    printf(",%d\n", mq_unlink("symx") == -1 && errno == EINVAL);
    return 0;
}
