// One thread takes the oldest message, another one of the lowest type that is there by then.
//@ outcomes: 31 32
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static int queue;

static void *receive(void *type) {
    long message = 0;
    msgrcv(queue, &message, 0, *(long *)type, 0);
    *(long *)type = message;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    long types[2] = {0, -2};
    queue = msgget(IPC_PRIVATE, 0600);
    for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, receive, &types[index]);
    for (long type = 3; type > 0; type--) msgsnd(queue, &type, 0, 0);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    printf("%ld%ld\n", types[0], types[1]);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
