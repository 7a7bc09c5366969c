// Each message goes to one of the threads that wait, whichever.
//@ outcomes: ab ba
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

static void *receive(void *byte) {
    mq_receive(queue, byte, 1, NULL);
    return NULL;
}

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/symx_two_receivers-%d", getpid());
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 1};
    pthread_t threads[2];
    char bytes[3] = "";
    mq_unlink(name);
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, receive, &bytes[index]);
    mq_send(queue, "a", 1, 0);
    mq_send(queue, "b", 1, 0);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    printf("%s\n", bytes);
    mq_unlink(name);
    return 0;
}
