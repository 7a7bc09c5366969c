// A queue of one message: who sends waits for room, who receives for a message, and what was written before sending is
// there after receiving.
//@ outcomes: 11,12
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

static char name[40];
static int written[2];

static void *produce(void *unused) {
    mqd_t queue = mq_open(name, O_WRONLY);
    for (char index = 0; index < 2; index++) {
        written[(int)index] = 11 + index;
        mq_send(queue, &index, 1, 0);
    }
    mq_close(queue);
    return unused;
}

int main(void) {
    snprintf(name, sizeof name, "/symx_between_threads-%d", getpid());
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    pthread_t thread;
    char index;
    mq_unlink(name);
    mqd_t queue = mq_open(name, O_CREAT | O_RDONLY, 0600, &attributes);
    pthread_create(&thread, NULL, produce, NULL);
    mq_receive(queue, &index, 1, NULL);
    printf("%d,", written[(int)index]);
    mq_receive(queue, &index, 1, NULL);
    printf("%d\n", written[(int)index]);
    pthread_join(thread, NULL);
    mq_unlink(name);
    return 0;
}
