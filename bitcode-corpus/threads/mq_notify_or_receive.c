// Who waits for a message gets it without any notice; a notice comes if nobody waits yet.
//@ outcomes: 0 1
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

static mqd_t queue;
static volatile int notices;

static void handle(int signal) {
    (void)signal;
    notices++;
}

static void *receive(void *unused) {
    char byte;
    mq_receive(queue, &byte, 1, NULL);
    return unused;
}

int main(void) {
    const char *name = "/symx_notify_or_receive";
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 1};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    pthread_t thread;
    sigset_t set;
    signal(SIGUSR1, handle);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    mq_unlink(name);
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    mq_notify(queue, &event);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, receive, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    mq_send(queue, "a", 1, 0);
    pthread_join(thread, NULL);
    printf("%d\n", notices);
    mq_unlink(name);
    return 0;
}
