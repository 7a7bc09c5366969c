// A message in the empty queue is told by a call in a thread of its own, unless somebody waits for the message.
//@ outcomes: 7
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

#include <semaphore.h>

static sem_t called;
static int given;

static void told(union sigval value) {
    given = value.sival_int;
    sem_post(&called);
}

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/symx_notify_thread-%d", getpid());
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 1};
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = told, .sigev_value.sival_int = 7};
    sem_init(&called, 0, 0);
    mq_unlink(name);
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    mq_notify(queue, &event);
    mq_send(queue, "a", 1, 0);
    sem_wait(&called);
    printf("%d\n", given);
    mq_unlink(name);
    return 0;
}
