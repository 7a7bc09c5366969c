// A queue is removed beside a thread that receives: the thread is woken, or finds no queue.
//@ outcomes: EIDRM EINVAL
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static int queue, error;

static void *receive(void *unused) {
    long message;
    if (msgrcv(queue, &message, 0, 0, 0) == -1) error = errno;
    return unused;
}

int main(void) {
    pthread_t thread;
    queue = msgget(IPC_PRIVATE, 0600);
    pthread_create(&thread, NULL, receive, NULL);
    msgctl(queue, IPC_RMID, NULL);
    pthread_join(thread, NULL);
    printf("%s\n", error == EIDRM ? "EIDRM" : error == EINVAL ? "EINVAL" : "none");
    return 0;
}
