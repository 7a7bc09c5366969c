// A thread that waits for a message can be cancelled.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static int queue;

static void *receive(void *unused) {
    long message;
    msgrcv(queue, &message, 0, 0, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    queue = msgget(IPC_PRIVATE, 0600);
    pthread_create(&thread, NULL, receive, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
