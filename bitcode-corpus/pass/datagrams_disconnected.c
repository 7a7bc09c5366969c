// connect to no family: a socket of datagrams has no peer, and keeps the address that it was bound to on request. A
// local one loses what it has not received, and its peer gets an error.
//@ native
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct sockaddr none = {.sa_family = AF_UNSPEC};

static void show(const char *what, long result) {
    printf("%s %ld %d\n", what, result, result < 0 ? errno : 0);
}

static void tell(int socket) {
    struct sockaddr_in address = {0};
    socklen_t length = sizeof address;
    assert(!getsockname(socket, (void *)&address, &length));
    printf("%s %d, ", inet_ntoa(address.sin_addr), address.sin_port != 0);
    show("peer", getpeername(socket, (void *)&address, &length));
}

static struct sockaddr_in internet(unsigned host, int port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(host)};
}

static void try(int binds, unsigned host, int port, const struct sockaddr_in *peer) {
    int own = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address = internet(host, port);
    if (binds)
        show("bind", bind(own, (void *)&address, sizeof address));
    show("connect", connect(own, (void *)peer, sizeof *peer));
    show("send", send(own, "x", 1, 0));
    show("disconnect", connect(own, &none, sizeof none));
    tell(own);
    show("send", send(own, "x", 1, 0));
    show("sendto", sendto(own, "x", 1, 0, (void *)peer, sizeof *peer));
    tell(own);
    close(own);
}

int main(void) {
    struct sockaddr_in peer = internet(INADDR_LOOPBACK, 0);
    socklen_t length = sizeof peer;
    int receiver = socket(AF_INET, SOCK_DGRAM, 0), pair[2];
    char byte;
    assert(!bind(receiver, (void *)&peer, length) && !getsockname(receiver, (void *)&peer, &length));
    try(0, 0, 0, &peer);
    try(1, INADDR_ANY, 0, &peer);
    try(1, INADDR_ANY, 45671, &peer);
    try(1, INADDR_LOOPBACK, 45672, &peer);

    assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    show("lost", send(pair[1], "a", 1, 0));
    show("lost", send(pair[1], "b", 1, 0));
    show("disconnect", connect(pair[0], &none, sizeof none));
    show("recv", recv(pair[0], &byte, 1, MSG_DONTWAIT));
    show("told", send(pair[1], "c", 1, 0));
    show("send", send(pair[1], "d", 1, 0));
    show("recv", recv(pair[0], &byte, 1, MSG_DONTWAIT));
    show("none lost", connect(pair[0], &none, sizeof none));
    show("send", send(pair[1], "e", 1, 0));

    int three[3];
    struct sockaddr_un names[3];
    for (int i = 0; i < 3; i++) {
        three[i] = socket(AF_UNIX, SOCK_DGRAM, 0);
        names[i] = (struct sockaddr_un){.sun_family = AF_UNIX};
        snprintf(names[i].sun_path + 1, 40, "symx_disconnected_%d", i);
        assert(!bind(three[i], (void *)&names[i], sizeof names[i]));
    }
    assert(!connect(three[0], (void *)&names[1], sizeof names[1]));
    assert(!connect(three[1], (void *)&names[0], sizeof names[0]));
    show("send", send(three[1], "f", 1, 0));
    show("same", connect(three[0], (void *)&names[1], sizeof names[1]));
    show("recv", recv(three[0], &byte, 1, MSG_DONTWAIT));
    show("send", send(three[1], "g", 1, 0));
    show("another", connect(three[0], (void *)&names[2], sizeof names[2]));
    show("recv", recv(three[0], &byte, 1, MSG_DONTWAIT));
    show("told", recv(three[1], &byte, 1, MSG_DONTWAIT));
    show("another's", send(three[1], "h", 1, 0));
    return 0;
}
