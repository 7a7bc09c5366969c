// A local socket that asks who sends gets that with each message, and none of two senders at once: none is known of
// what was sent before it asked.
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static void take(int socket, size_t room) {
    char text[16] = "";
    union {
        char bytes[64];
        struct cmsghdr head;
    } control;
    struct iovec part = {text, sizeof text};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = room};
    ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT);
    printf("%.*s %d %zu", (int)got, text, message.msg_flags & MSG_CTRUNC, (size_t)message.msg_controllen);
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        struct ucred sender = {-1, -1, -1};
        size_t length = head->cmsg_len - CMSG_LEN(0);
        printf(" %d:%zu", head->cmsg_type, length);
        if (head->cmsg_type == SCM_CREDENTIALS && length == sizeof sender) {
            memcpy(&sender, CMSG_DATA(head), sizeof sender);
            printf(" %s", sender.pid == getpid() && sender.uid == getuid() && sender.gid == getgid() ? "own"
                          : sender.pid == 0 && sender.uid == 65534 && sender.gid == 65534            ? "none"
                                                                                                     : "?");
        }
    }
    putchar('\n');
}

static void give(int socket, int kind, const void *data, size_t length) {
    char control[64] = {0};
    struct iovec part = {"given", 5};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(length)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = kind, .cmsg_len = CMSG_LEN(length)};
    memcpy(CMSG_DATA(head), data, length);
    ssize_t sent = sendmsg(socket, &message, 0);
    printf("give %zd %d\n", sent, sent < 0 ? errno : 0);
}

int main(void) {
    int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    for (int i = 0; i < 3; i++) {
        int pair[2], on = 1, is_on = -1;
        socklen_t length = sizeof is_on;
        assert(!socketpair(AF_UNIX, kinds[i], 0, pair));
        assert(send(pair[1], "early", 5, 0) == 5);
        assert(!setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
        assert(!getsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &is_on, &length) && is_on == 1);
        assert(send(pair[1], "late", 4, 0) == 4 && send(pair[1], "r", 1, 0) == 1);
        for (int k = 0; k < (i ? 3 : 2); k++)
            take(pair[0], 64);
        struct ucred own = {getpid(), getuid(), getgid()};
        give(pair[1], SCM_CREDENTIALS, &own, sizeof own);
        take(pair[0], 64);
        give(pair[1], SCM_RIGHTS, &pair[1], sizeof(int));
        take(pair[0], 64);
        give(pair[1], SCM_CREDENTIALS, &own, 8);
        give(pair[1], 77, &own, sizeof own);
        assert(send(pair[1], "cut", 3, 0) == 3);
        take(pair[0], 20);
        give(pair[0], SCM_CREDENTIALS, &own, sizeof own);
        take(pair[1], 64);
    }
    return 0;
}
