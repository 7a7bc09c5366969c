// Messages between local sockets pass descriptors: when they come, what ends with them, what has no room, what is refused.
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int pair[2];

static void give(const char *text, int count, int first, int second) {
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr head;
    } control = {{0}};
    struct iovec part = {(char *)text, strlen(text)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        int files[2] = {first, second};
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.head), files, count * sizeof(int));
    }
    ssize_t sent = sendmsg(pair[0], &message, 0);
    printf("give %zd %d\n", sent, sent < 0 ? errno : 0);
}

// Receives, tells what came and closes it, but for the last descriptor.
static int take(size_t most, size_t room, int flags) {
    char text[64] = "";
    union {
        char bytes[CMSG_SPACE(8 * sizeof(int))];
        struct cmsghdr head;
    } control;
    struct iovec part = {text, most};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = room};
    ssize_t got = recvmsg(pair[1], &message, flags | MSG_DONTWAIT);
    int last = -1, count = 0;
    if (got < 0) {
        printf("take %d\n", errno);
        return -1;
    }
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        assert(head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS);
        count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (int i = 0; i < count; i++) {
            if (last >= 0)
                close(last);
            memcpy(&last, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
        }
    }
    printf("take %.*s %d %d %zu\n", (int)got, text, count, message.msg_flags & MSG_CTRUNC, (size_t)message.msg_controllen);
    return last;
}

int main(void) {
    int pipes[2], passed;
    size_t most = CMSG_SPACE(2 * sizeof(int));
    char byte;
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && !pipe(pipes));
    give("AB", 0, 0, 0);
    give("CDE", 2, pipes[0], pipes[1]);
    give("F", 0, 0, 0);
    passed = take(60, most, 0);
    printf("%zd", write(passed, "p", 1));
    printf("%zd%c\n", read(pipes[0], &byte, 1), byte);
    printf("%d\n", fcntl(passed, F_GETFD));
    close(passed);
    take(60, most, 0);
    take(60, most, 0);

    give("xyz", 1, pipes[0], 0);
    close(take(1, most, MSG_CMSG_CLOEXEC));
    take(1, most, 0);
    take(9, most, 0);
    give("none", 1, pipes[0], 0);
    take(9, 0, 0);
    give("head", 1, pipes[0], 0);
    take(9, CMSG_LEN(0), 0);
    give("one", 2, pipes[0], pipes[1]);
    close(take(9, CMSG_LEN(sizeof(int)), 0));
    give("peek", 1, pipes[0], 0);
    close(take(2, most, MSG_PEEK));
    close(take(9, most, 0));
    give("bad", 1, 99, 0);
    give("", 1, pipes[0], 0);
    take(9, most, 0);

    // What no call receives, and what is read as bytes, is closed.
    give("end", 1, pipes[1], 0);
    give("more", 1, pipes[1], 0);
    close(pipes[1]);
    printf("%zd\n", read(pair[1], &byte, 1));
    close(pair[1]);
    printf("%zd\n", read(pipes[0], &byte, 1));
    close(pair[0]);

    // Datagrams and records keep theirs.
    for (int kind = 0; kind < 2; kind++) {
        assert(!socketpair(AF_UNIX, kind ? SOCK_DGRAM : SOCK_SEQPACKET, 0, pair));
        give("AB", 0, 0, 0);
        give("CDE", 1, pipes[0], 0);
        give("F", 0, 0, 0);
        take(9, most, 0);
        close(take(1, most, 0));
        take(9, most, 0);
        close(pair[0]);
        close(pair[1]);
    }

    // Where no descriptor is free, none comes.
    struct rlimit limit;
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && !getrlimit(RLIMIT_NOFILE, &limit));
    give("full", 2, pipes[0], pipes[0]);
    limit.rlim_cur = (passed = dup(0)) + 1;
    assert(!setrlimit(RLIMIT_NOFILE, &limit));
    close(passed);
    close(take(9, most, 0));
    return 0;
}
