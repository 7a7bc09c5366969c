// Messages have types, by which receivers choose; what is too long is refused or cut off.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <unistd.h>

static struct {
    long type;
    char text[9000];
} message;
static int queue;

static int fails(long result, int error) {
    return result == -1 && errno == error;
}

static int send(long type, const char *text, int flags) {
    message.type = type;
    strcpy(message.text, text);
    return msgsnd(queue, &message, strlen(text), flags);
}

// The type and the text of a message.
static void receive(long type, int flags) {
    ssize_t length = msgrcv(queue, &message, sizeof message.text, type, flags | IPC_NOWAIT);
    if (length < 0) printf(" %s", errno == ENOMSG ? "none" : "?");
    else printf(" %ld%.*s", message.type, (int)length, message.text);
}

int main(void) {
    key_t key = 0x53790000 ^ getpid();
    printf("%d", fails(msgget(key, 0600), ENOENT));
    queue = msgget(key, IPC_CREAT | IPC_EXCL | 0600);
    printf("%d", fails(msgget(key, IPC_CREAT | IPC_EXCL | 0600), EEXIST));
    printf("%d\n", msgget(key, IPC_CREAT) == queue);

    for (long type = 5; type > 0; type--) send(type, (char[]){'a' + type, 0}, 0);
    send(3, "again", 0);
    receive(3, 0);
    receive(7, 0);
    receive(-4, 0);
    receive(5, MSG_EXCEPT);
    receive(0, 0);
    receive(-1, 0);
    receive(-2, MSG_EXCEPT);
    receive(0, 0);
    receive(0, 0);
    printf("\n");

    printf("%d", fails(send(0, "x", 0), EINVAL));
    printf("%d", fails(msgsnd(queue, &message, 8193, 0), EINVAL));
    printf("%d", fails(msgsnd(-1, &message, 1, 0), EINVAL));
    printf("%d", fails(msgrcv(queue, &message, -1, 0, 0), EINVAL));
    send(1, "long", 0);
    printf("%d", fails(msgrcv(queue, &message, 3, 0, 0), E2BIG));
    printf("%zd", msgrcv(queue, &message, 3, 0, MSG_NOERROR));
    printf("%.4s", message.text);
    send(2, "", 0);
    printf("%zd", msgrcv(queue, &message, 0, 2, 0));
    printf("%d\n", fails(msgrcv(queue, &message, 3, 0, IPC_NOWAIT), ENOMSG));

    struct msqid_ds status;
    message.type = 1;
    printf("%d%d", msgsnd(queue, &message, 8192, 0), msgsnd(queue, &message, 8192, IPC_NOWAIT));
    printf("%d", fails(msgsnd(queue, &message, 1, IPC_NOWAIT), EAGAIN));
    printf(",%d", msgctl(queue, IPC_STAT, &status));
    printf(",%lu,%lu,%o", (unsigned long)status.msg_qnum, (unsigned long)status.msg_qbytes, status.msg_perm.mode);
    printf(",%d%d", status.msg_lspid == getpid(), status.msg_lrpid == getpid());
    status.msg_qbytes = 8193;
    status.msg_perm.mode = 0640;
    printf(",%d", msgctl(queue, IPC_SET, &status));
    msgctl(queue, IPC_STAT, &status);
    printf(",%lu,%o", (unsigned long)status.msg_qbytes, status.msg_perm.mode);
    msgrcv(queue, &message, 8192, 0, 0);
    printf(",%d", fails(send(1, "xy", IPC_NOWAIT), EAGAIN));
    printf("%d\n", send(1, "x", IPC_NOWAIT));

    printf("%d", fails(msgctl(queue, 99, &status), EINVAL));
    printf("%d", msgctl(queue, IPC_RMID, NULL));
    printf("%d", fails(msgctl(queue, IPC_RMID, NULL), EINVAL));
    printf("%d\n", fails(send(1, "x", 0), EINVAL));
    return 0;
}
