// How many bytes sockets say they have (FIONREAD): all of a stream, one datagram, none before there is a peer.
//@ native
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static void tell(int socket) {
    int count = -1, result = ioctl(socket, FIONREAD, &count);
    printf("%d %d\n", result < 0 ? errno : 0, count);
}

int main(void) {
    for (int kind = SOCK_STREAM; kind <= SOCK_DGRAM; kind++) {
        int pair[2];
        socketpair(AF_UNIX, kind, 0, pair);
        tell(pair[0]);
        send(pair[1], "abc", 3, 0);
        send(pair[1], "abcd", 4, 0);
        tell(pair[0]);
        tell(socket(AF_UNIX, kind, 0));
        tell(socket(AF_INET, kind, 0));
    }
    int server = socket(AF_INET, SOCK_STREAM, 0);
    listen(server, 1);
    tell(server);
    return 0;
}
