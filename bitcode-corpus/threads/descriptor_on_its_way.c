// A thread waits at a pipe of which the other end is on its way to a socket. The wait ends when that
// socket is closed, or when another thread has received the end and closed it.
//@ outcomes: received closed
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int pair[2];

static void *waits(void *pipe) {
    char byte;
    assert(read(*(int *)pipe, &byte, 1) == 0);
    return NULL;
}

static void *closes(void *unused) {
    close(pair[1]);
    return unused;
}

int main(void) {
    pthread_t waiting, closing;
    int pipes[2], file;
    char byte = 'x';
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control = {{0}};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
    assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) && !pipe(pipes));
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.head), &pipes[1], sizeof(int));
    assert(sendmsg(pair[0], &message, 0) == 1 && close(pipes[1]) == 0);
    pthread_create(&waiting, NULL, waits, &pipes[0]);
    pthread_create(&closing, NULL, closes, NULL);
    message.msg_controllen = sizeof control.bytes;
    ssize_t got = recvmsg(pair[1], &message, MSG_DONTWAIT);
    if (got == 1) {
        memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
        close(file);
    }
    pthread_join(waiting, NULL);
    pthread_join(closing, NULL);
    puts(got == 1 ? "received" : "closed");
    return 0;
}
