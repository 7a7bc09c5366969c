// Datagrams over the loopback of IPv4 and IPv6: boundaries, cut messages, senders, peers, what nobody receives; errors.
//@ native
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static int result(long value) {
    return value < 0 ? -errno : (int)value;
}

static socklen_t extent(int family) {
    return family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

// The loopback of a family, at a port of the network's byte order.
static union address loopback(int family, in_port_t port) {
    union address address;
    memset(&address, 0, sizeof address);
    address.any.sa_family = family;
    if (family == AF_INET) {
        address.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.four.sin_port = port;
    } else {
        address.six.sin6_addr = in6addr_loopback;
        address.six.sin6_port = port;
    }
    return address;
}

static in_port_t port(const union address *address) {
    return address->any.sa_family == AF_INET ? address->four.sin_port : address->six.sin6_port;
}

static union address own(int file) {
    union address address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    getsockname(file, &address.any, &length);
    return address;
}

static void between(int family) {
    socklen_t length = extent(family);
    int receiver = socket(family, SOCK_DGRAM, 0), sender = socket(family, SOCK_DGRAM, 0);
    union address any = loopback(family, 0), from, to;
    printf("%d ", result(bind(receiver, &any.any, length)));
    to = own(receiver);
    printf("%d %d\n", port(&to) != 0, result(bind(receiver, &any.any, length)));
    char bytes[16] = "";
    printf("%d ", result(sendto(sender, "hello", 5, 0, &to.any, length)));
    printf("%d ", result(sendto(sender, "", 0, 0, &to.any, length)));
    printf("%d ", result(sendto(sender, "abcdefgh", 8, 0, &to.any, length)));
    printf("%d ", result(sendto(sender, "ABCDEFGH", 8, 0, &to.any, length)));
    printf("%d\n", result(sendto(sender, "12345678", 8, 0, &to.any, length)));
    socklen_t room = sizeof from;
    printf("%d ", result(recvfrom(receiver, bytes, 3, MSG_PEEK | MSG_TRUNC, &from.any, &room)));
    union address sent_from = own(sender);
    printf("%d %.3s %d %d ", room == length, bytes, port(&from) == port(&sent_from), from.any.sa_family == family);
    printf("%d ", result(recv(receiver, bytes, 16, 0)));
    printf("%d ", result(recv(receiver, bytes, 16, 0)));
    printf("%d %.3s ", result(recv(receiver, bytes, 3, 0)), bytes);
    struct iovec parts[2] = {{bytes, 2}, {bytes + 4, 3}};
    struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = parts, .msg_iovlen = 2};
    printf("%d %.2s %.3s ", result(recvmsg(receiver, &message, 0)), bytes, bytes + 4);
    printf("%d %d ", message.msg_flags == MSG_TRUNC, message.msg_namelen == length);
    printf("%d ", result(read(receiver, bytes, 16)));
    printf("%d\n", result(recv(receiver, bytes, 16, MSG_DONTWAIT)));
    // A peer: it alone is heard, and nothing else need be said.
    union address here = own(sender), peer;
    printf("%d ", result(send(sender, "x", 1, 0)));
    printf("%d ", result(connect(sender, &to.any, length)));
    room = sizeof peer;
    printf("%d %d ", result(getpeername(sender, &peer.any, &room)), port(&peer) == port(&to));
    printf("%d ", result(write(sender, "peer", 4)));
    here = loopback(family, port(&here));
    int third = socket(family, SOCK_DGRAM, 0);
    sendto(third, "third", 5, 0, &here.any, length);
    printf("%d ", result(recv(sender, bytes, 16, MSG_DONTWAIT)));
    sendto(receiver, "back", 4, 0, &here.any, length);
    printf("%d ", result(recv(sender, bytes, 16, MSG_DONTWAIT)));
    struct msghdr named = {.msg_name = &here, .msg_namelen = length, .msg_iov = parts, .msg_iovlen = 2};
    printf("%d ", result(sendmsg(receiver, &named, 0)));
    struct pollfd polled = {sender, POLLIN | POLLOUT, 0};
    printf("%d %x\n", poll(&polled, 1, 0), polled.revents);
    // The peer is gone: what is sent is lost, which a later call reports.
    close(receiver);
    recv(sender, bytes, 16, 0);
    printf("%d ", result(write(sender, "lost", 4)));
    printf("%d ", result(write(sender, "told", 4)));
    write(sender, "lost", 4);
    int error = 0;
    socklen_t four = sizeof error;
    getsockopt(sender, SOL_SOCKET, SO_ERROR, &error, &four);
    printf("%d ", error);
    printf("%d\n", result(sendto(third, "nobody", 6, 0, &to.any, length)));
    close(sender);
    close(third);
}

static void edges(void) {
    int file = socket(AF_INET, SOCK_DGRAM, 0), set = epoll_create1(0);
    union address any = loopback(AF_INET, 0), to;
    char byte;
    bind(file, &any.any, sizeof any.four);
    to = own(file);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    epoll_ctl(set, EPOLL_CTL_ADD, file, &event);
    printf("%d ", epoll_wait(set, &event, 1, 0));
    sendto(file, "a", 1, 0, &to.any, sizeof to.four);
    printf("%d ", epoll_wait(set, &event, 1, -1));
    printf("%d ", epoll_wait(set, &event, 1, 0));
    sendto(file, "b", 1, 0, &to.any, sizeof to.four);
    printf("%d ", epoll_wait(set, &event, 1, 0));
    recv(file, &byte, 1, 0);
    printf("%d\n", epoll_wait(set, &event, 1, 0));
    close(set);
    close(file);
}

static void errors(void) {
    static char large[65508];
    int file = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM, 0);
    union address any = loopback(AF_INET, 0), six = loopback(AF_INET6, 0), taken;
    bind(file, &any.any, sizeof any.four);
    taken = own(file);
    int results[] = {
        result(bind(other, &taken.any, sizeof taken.four)),
        result(bind(other, &taken.any, 4)),
        result(bind(other, &six.any, sizeof six.six)),
        result(send(other, "x", 1, 0)),
        result(sendto(other, "x", 1, 0, &any.any, sizeof any.four)),
        result(sendto(other, "x", 1, 0, &taken.any, 4)),
        result(sendto(other, "x", 1, 0, &six.any, sizeof six.six)),
        result(sendto(other, large, sizeof large, 0, &taken.any, sizeof taken.four)),
        result(listen(file, 1)),
        result(accept(file, NULL, NULL)),
        result(shutdown(file, SHUT_WR)),
        result(recv(file, large, 1, MSG_DONTWAIT)),
    };
    for (unsigned index = 0; index < sizeof results / sizeof *results; index++)
        printf("%d ", results[index]);
    printf("\n");
}

int main(void) {
    between(AF_INET);
    between(AF_INET6);
    edges();
    errors();
    return 0;
}
