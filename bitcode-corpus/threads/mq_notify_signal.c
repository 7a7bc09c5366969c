// A message in the empty queue is told by a signal, once; only one notice can be asked for.
//@ outcomes: 1,1,1,1,1
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

static volatile int code, value, count;

static void handle(int signal, siginfo_t *information, void *context) {
    (void)signal;
    (void)context;
    code = information->si_code;
    value = information->si_value.sival_int;
    count++;
}

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/symx_notify_signal-%d", getpid());
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 1};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    char byte;
    sigaction(SIGUSR1, &action, NULL);
    mq_unlink(name);
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    printf("%d", mq_notify(queue, &event) == 0);
    printf(",%d", mq_notify(queue, &event) == -1 && errno == EBUSY);
    mq_send(queue, "a", 1, 0);
    printf(",%d", count == 1 && code == SI_MESGQ && value == 5);
    mq_receive(queue, &byte, 1, NULL);
    mq_send(queue, "b", 1, 0);
    printf(",%d", count == 1);
    printf(",%d\n", mq_notify(-1, NULL) == -1 && errno == EBADF);
    mq_unlink(name);
    return 0;
}
