// A handler ends the wait for a message.
//@ outcomes: 1
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

static int interrupted;
static mqd_t queue;

static void handle(int signal) {
    (void)signal;
    mq_send(queue, "a", 1, 0);
}

static void *receive(void *unused) {
    char byte;
    ssize_t got = mq_receive(queue, &byte, 1, NULL);
    interrupted = got == 1 || got == -1 && errno == EINTR;
    return unused;
}

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/symx_interrupted-%d", getpid());
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 1};
    struct sigaction action = {.sa_handler = handle};
    pthread_t thread;
    sigaction(SIGUSR1, &action, NULL);
    mq_unlink(name);
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    pthread_create(&thread, NULL, receive, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d\n", interrupted);
    mq_unlink(name);
    return 0;
}
