// Streams of records: boundaries, cut and empty ones, what is left when the other side is gone, names of their own.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *what, long result) { printf("%s %ld %s\n", what, result, result < 0 ? strerror(errno) : ""); }

static void look(int socket) {
    struct pollfd entry = {socket, POLLIN | POLLOUT | POLLRDHUP, 0};
    int count = poll(&entry, 1, 0);
    printf("poll %d %x\n", count, entry.revents);
}

static char large[300000];

static void on_signal(int signal) { puts("signal"); }

static void between_two(void) {
    int pair[2], kind = 0, count = 0;
    socklen_t length = sizeof kind;
    char bytes[16];
    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
    getsockopt(pair[0], SOL_SOCKET, SO_TYPE, &kind, &length);
    printf("%d\n", kind);
    tell("send", send(pair[0], "abc", 3, 0));
    tell("send", send(pair[0], "defg", 4, 0));
    tell("send none", send(pair[0], "", 0, 0));
    tell("write", write(pair[0], "hij", 3));
    ioctl(pair[1], FIONREAD, &count);
    printf("%d\n", count);
    tell("peek", recv(pair[1], bytes, sizeof bytes, MSG_PEEK));
    tell("cut", recv(pair[1], bytes, 2, MSG_TRUNC));
    tell("recv", recv(pair[1], bytes, sizeof bytes, MSG_WAITALL));
    tell("none", recv(pair[1], bytes, sizeof bytes, 0));
    look(pair[1]);
    struct iovec part = {bytes, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    tell("recvmsg", recvmsg(pair[1], &message, 0));
    printf("%x\n", message.msg_flags);
    tell("nothing", recv(pair[1], bytes, sizeof bytes, MSG_DONTWAIT));
    look(pair[1]);
    tell("too long", send(pair[0], large, sizeof large, 0));
    tell("write", write(pair[0], "xy", 2));
    close(pair[0]);
    look(pair[1]);
    tell("left", read(pair[1], bytes, sizeof bytes));
    tell("end", read(pair[1], bytes, sizeof bytes));
    tell("gone", send(pair[1], "q", 1, 0));
    tell("gone", write(pair[1], "q", 1));
    close(pair[1]);
}

static void by_name(void) {
    // Natively all processes of the machine share such names.
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int letters = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "symx records %d", (int)getpid());
    socklen_t length = sizeof(sa_family_t) + 1 + letters;
    int streams = socket(AF_UNIX, SOCK_STREAM, 0), records = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    int client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    char bytes[16];
    tell("bind", bind(streams, (void *)&name, length));
    listen(streams, 1);
    tell("other kind", connect(client, (void *)&name, length));
    tell("bind too", bind(records, (void *)&name, length));
    tell("listen", listen(records, 1));
    tell("connect", connect(client, (void *)&name, length));
    int accepted = accept(records, 0, 0);
    send(client, "one", 3, 0);
    send(client, "two", 3, 0);
    tell("recv", recv(accepted, bytes, sizeof bytes, 0));
    shutdown(client, SHUT_WR);
    tell("recv", recv(accepted, bytes, sizeof bytes, 0));
    tell("recv", recv(accepted, bytes, sizeof bytes, 0));
}

int main(void) {
    signal(SIGPIPE, on_signal);
    tell("internet", socket(AF_INET, SOCK_SEQPACKET, 0));
    between_two();
    by_name();
    return 0;
}
