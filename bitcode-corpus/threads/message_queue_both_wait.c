// A queue with room for one message: the sender waits for room, the receiver for a message of the type it wants, and
// what was written before sending is there after receiving.
//@ outcomes: 11,12
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>

struct message {
    long type;
    char text;
};

static int queue, written[2];

static void *produce(void *unused) {
    for (int index = 0; index < 2; index++) {
        struct message message = {index + 1, index};
        written[index] = 11 + index;
        msgsnd(queue, &message, 1, 0);
    }
    return unused;
}

static int consume(long type) {
    struct message message;
    msgrcv(queue, &message, 1, type, 0);
    return written[(int)message.text];
}

int main(void) {
    pthread_t thread;
    struct msqid_ds status;
    queue = msgget(IPC_PRIVATE, 0600);
    msgctl(queue, IPC_STAT, &status);
    status.msg_qbytes = 1;
    msgctl(queue, IPC_SET, &status);
    pthread_create(&thread, NULL, produce, NULL);
    int first = consume(-2);
    printf("%d,%d\n", first, consume(2));
    pthread_join(thread, NULL);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
