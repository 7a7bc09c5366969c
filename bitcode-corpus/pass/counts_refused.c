// Calls refuse arrays of more than 1024 buffers, buffers and counts of descriptors that are negative, and long paths.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static struct iovec vector[2000];

static void show(const char *what, long result) { printf("%s %ld %d\n", what, result, result < 0 ? errno : 0); }

int main(void) {
    int ends[2], sockets[2];
    static char bytes[8], path[5000];
    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    for (int index = 0; index < 2000; index++) vector[index] = (struct iovec){bytes, 0};
    show("writev", writev(ends[1], vector, 1024));
    show("many", writev(ends[1], vector, 1025));
    show("negative", writev(ends[1], vector, -1));
    show("closed", writev(99, vector, 1025));
    show("readv", readv(ends[0], vector, 1025));
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = 1025};
    show("sendmsg", sendmsg(sockets[0], &message, 0));
    show("recvmsg", recvmsg(sockets[0], &message, MSG_DONTWAIT));
    show("closed", sendmsg(99, &message, 0));
    show("pipe", sendmsg(ends[1], &message, 0));
    vector[0].iov_len = (size_t)-1;
    message.msg_iovlen = 2;
    show("length", writev(ends[1], vector, 2));
    show("length", sendmsg(sockets[0], &message, 0));
    struct pollfd entry = {.fd = ends[0], .events = POLLIN};
    show("poll", poll(&entry, (nfds_t)-1, 0));
    fd_set set;
    struct timeval now = {0, 0};
    FD_ZERO(&set);
    show("select", select(-1, &set, NULL, NULL, &now));
    show("duplicate", fcntl(ends[0], F_DUPFD, -1L));
    memset(path, 'a', sizeof path - 1);
    show("open", open(path, O_RDONLY));
    return 0;
}
