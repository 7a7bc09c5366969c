// Local datagrams: by path, by pair; who sent is named if bound; a queue that is full, a peer of another's; errors.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int result(long value) {
    return value < 0 ? -errno : (int)value;
}

static struct sockaddr_un named(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    return address;
}

int main(void) {
    char folder[] = "/tmp/symx-XXXXXX", bytes[8] = "";
    mkdtemp(folder);
    chdir(folder);
    struct sockaddr_un box = named("box"), mine = named("mine"), from;
    socklen_t room = sizeof from;
    int receiver = socket(AF_UNIX, SOCK_DGRAM, 0), sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    printf("%d ", result(sendto(sender, "x", 1, 0, (struct sockaddr *)&box, sizeof box)));
    printf("%d ", result(bind(receiver, (struct sockaddr *)&box, sizeof box)));
    printf("%d ", result(sendto(sender, "ab", 2, 0, (struct sockaddr *)&box, sizeof box)));
    printf("%d ", result(recvfrom(receiver, bytes, 8, 0, (struct sockaddr *)&from, &room)));
    printf("%u ", room);
    printf("%d ", result(bind(sender, (struct sockaddr *)&mine, sizeof mine)));
    printf("%d ", result(connect(sender, (struct sockaddr *)&box, sizeof box)));
    printf("%d ", result(send(sender, "abc", 3, 0)));
    room = sizeof from;
    printf("%d ", result(recvfrom(receiver, bytes, 2, MSG_TRUNC, (struct sockaddr *)&from, &room)));
    printf("%u %s\n", room, from.sun_path);
    // Eleven wait, the next one has to.
    int sent = 0;
    while (send(sender, "m", 1, MSG_DONTWAIT) == 1)
        sent++;
    struct pollfd polled = {sender, POLLOUT, 0};
    printf("%d %d %d ", sent, errno == EAGAIN, poll(&polled, 1, 0));
    printf("%d ", result(recv(receiver, bytes, 8, 0)));
    printf("%d ", poll(&polled, 1, 0));
    printf("%d\n", result(send(sender, "m", 1, MSG_DONTWAIT)));
    // Who is connected to another takes nothing.
    int third = socket(AF_UNIX, SOCK_DGRAM, 0), stream = socket(AF_UNIX, SOCK_STREAM, 0);
    printf("%d ", result(sendto(third, "x", 1, 0, (struct sockaddr *)&mine, sizeof mine)));
    printf("%d ", result(connect(third, (struct sockaddr *)&mine, sizeof mine)));
    printf("%d ", result(connect(stream, (struct sockaddr *)&box, sizeof box)));
    printf("%d ", result(send(third, "x", 1, 0)));
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    printf("%d ", result(connect(sender, &none, sizeof none)));
    printf("%d ", result(sendto(third, "x", 1, 0, (struct sockaddr *)&mine, sizeof mine)));
    close(receiver);
    printf("%d ", result(connect(sender, (struct sockaddr *)&box, sizeof box)));
    printf("%d\n", result(getpeername(sender, &none, &room)));
    int pair[2];
    printf("%d ", result(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)));
    write(pair[0], "one", 3);
    write(pair[0], "three", 5);
    printf("%d ", result(read(pair[1], bytes, 8)));
    printf("%d ", result(read(pair[1], bytes, 2)));
    printf("%d ", result(recv(pair[1], bytes, 8, MSG_DONTWAIT)));
    printf("%d ", result(shutdown(pair[1], SHUT_RD)));
    printf("%d ", result(send(pair[0], "x", 1, 0)));
    printf("%d ", result(recv(pair[1], bytes, 8, 0)));
    close(pair[1]);
    printf("%d\n", result(send(pair[0], "x", 1, 0)));
    unlink("box");
    unlink("mine");
    chdir("/");
    rmdir(folder);
    return 0;
}
