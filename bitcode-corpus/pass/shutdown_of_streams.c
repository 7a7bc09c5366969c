// A stream that was shut down for receiving gives what it has received first. A local peer may send no more; one of
// the internet may.
//@ native
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void show(const char *what, long result) {
    printf("%s %ld %d\n", what, result, result < 0 ? errno : 0);
}

static void events(int socket) {
    struct pollfd polled = {socket, POLLIN | POLLOUT | POLLRDHUP, 0};
    assert(poll(&polled, 1, 0) >= 0);
    printf("events %x\n", polled.revents);
}

static void connection(int family, int kind, int *pair) {
    if (family == AF_UNIX) {
        assert(!socketpair(family, kind, 0, pair));
        return;
    }
    struct sockaddr_in address = {.sin_family = family, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int server = socket(family, kind, 0);
    assert(!bind(server, (void *)&address, length) && !listen(server, 1));
    assert(!getsockname(server, (void *)&address, &length));
    pair[1] = socket(family, kind, 0);
    assert(!connect(pair[1], (void *)&address, length) && (pair[0] = accept(server, NULL, NULL)) >= 0);
    close(server);
}

int main(void) {
    int families[] = {AF_UNIX, AF_UNIX, AF_INET}, kinds[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_STREAM};
    for (int i = 0; i < 3; i++) {
        int pair[2];
        char bytes[8];
        connection(families[i], kinds[i], pair);
        show("send", send(pair[1], "ab", 2, 0));
        show("shutdown", shutdown(pair[0], SHUT_RD));
        events(pair[0]);
        show("recv", recv(pair[0], bytes, 8, 0));
        show("recv", recv(pair[0], bytes, 8, 0));
        events(pair[0]);
        show("send", send(pair[1], "c", 1, MSG_NOSIGNAL));
        usleep(1000);
        show("recv", recv(pair[0], bytes, 8, 0));
        show("back", send(pair[0], "d", 1, MSG_NOSIGNAL));
        usleep(1000);
        show("recv", recv(pair[1], bytes, 8, 0));
        show("shutdown", shutdown(pair[0], SHUT_WR));
        events(pair[0]);
        show("back", send(pair[0], "e", 1, MSG_NOSIGNAL));
        show("recv", recv(pair[1], bytes, 8, 0));
        close(pair[0]);
        close(pair[1]);
    }
    return 0;
}
