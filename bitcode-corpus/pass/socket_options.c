// Options of sockets read back as they were set; which fail, how long what is read is, and who the peer is.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void set(int socket, int level, int option, int number, socklen_t length) {
    int result = setsockopt(socket, level, option, &number, length);
    printf("set %d %d: %d", level, option, result < 0 ? errno : 0);
    length = sizeof number;
    number = -1;
    result = getsockopt(socket, level, option, &number, &length);
    printf(" get %d: %d, %u\n", result < 0 ? errno : 0, number, length);
}

static void peer(int socket) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    int result = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    int is_self = peer.pid == getpid() && peer.uid == getuid() && peer.gid == getgid();
    printf("%d %u %d %d\n", result, length, is_self, peer.pid == 0 && peer.uid == (uid_t)-1);
}

int main(void) {
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    peer(pair[0]);
    int stream = socket(AF_INET, SOCK_STREAM, 0), datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    int local = socket(AF_UNIX, SOCK_STREAM, 0), number = 7;
    peer(stream);
    peer(datagrams);
    peer(local);
    int sockets[] = {stream, datagrams, local};
    for (int i = 0; i < 3; i++) {
        set(sockets[i], SOL_SOCKET, SO_KEEPALIVE, 3, sizeof(int));
        set(sockets[i], SOL_SOCKET, SO_BROADCAST, 3, sizeof(int));
        set(sockets[i], SOL_SOCKET, SO_REUSEADDR, 3, sizeof(int));
        set(sockets[i], SOL_SOCKET, SO_RCVBUF, 10000, sizeof(int));
        set(sockets[i], SOL_SOCKET, SO_SNDBUF, 1, sizeof(int));
        set(sockets[i], SOL_SOCKET, SO_RCVBUF, 1, 2);
        set(sockets[i], IPPROTO_TCP, TCP_NODELAY, 3, sizeof(int));
        set(sockets[i], IPPROTO_TCP, TCP_KEEPCNT, 3, sizeof(int));
        struct linger linger = {1, 5};
        socklen_t length = sizeof linger;
        printf("%d\n", setsockopt(sockets[i], SOL_SOCKET, SO_LINGER, &linger, 4) < 0 ? errno : 0);
        setsockopt(sockets[i], SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
        linger.l_onoff = linger.l_linger = 0;
        getsockopt(sockets[i], SOL_SOCKET, SO_LINGER, &linger, &length);
        printf("%d %d %u\n", linger.l_onoff, linger.l_linger, length);
        length = 2;
        getsockopt(sockets[i], SOL_SOCKET, SO_PROTOCOL, &number, &length);
        printf("%d %u\n", number & 0xffff, length);
    }
    printf("%d\n", setsockopt(99, SOL_SOCKET, SO_REUSEADDR, &number, sizeof number) < 0 ? errno : 0);
    printf("%d\n", setsockopt(0, SOL_SOCKET, SO_REUSEADDR, &number, sizeof number) < 0 ? errno : 0);
    return 0;
}
