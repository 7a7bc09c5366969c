// Calls at sockets with time limits: what times out, what comes in time, what is no time, what is inherited.
//@ flags: --check assert,memory,deadlock
//@ native
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int limit(int socket, int option, long seconds, long microseconds) {
    struct timeval time = {seconds, microseconds};
    return setsockopt(socket, SOL_SOCKET, option, &time, sizeof time) < 0 ? errno : 0;
}

static void tell(const char *what, long result) { printf("%s %ld %s\n", what, result, result < 0 ? strerror(errno) : ""); }

static void told(int socket, int option) {
    struct timeval time = {-1, -1};
    socklen_t length = sizeof time;
    int result = getsockopt(socket, SOL_SOCKET, option, &time, &length);
    printf("limit %d %u %ld.%06ld\n", result, length, (long)time.tv_sec, (long)time.tv_usec);
}

int main(void) {
    int pair[2];
    char bytes[8];
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    told(pair[0], SO_RCVTIMEO);
    printf("%d %d %d\n", limit(pair[0], SO_RCVTIMEO, 0, 1000000), limit(pair[0], SO_RCVTIMEO, 0, -1),
           limit(-1, SO_RCVTIMEO, 0, 1));
    int number = 1;
    tell("short", setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &number, sizeof number));
    printf("%d\n", limit(pair[0], SO_RCVTIMEO, 0, 100000));
    told(pair[0], SO_RCVTIMEO);
    told(pair[0], SO_SNDTIMEO);
    told(pair[1], SO_RCVTIMEO);

    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    tell("recv", recv(pair[0], bytes, sizeof bytes, 0));
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    assert(passed >= 99);
    tell("read", read(pair[0], bytes, sizeof bytes));
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    tell("recvmsg", recvmsg(pair[0], &message, 0));
    assert(write(pair[1], "abc", 3) == 3);
    tell("what is there", recv(pair[0], bytes, sizeof bytes, 0));
    printf("%d\n", limit(pair[0], SO_RCVTIMEO, -1, 0));
    tell("no wait", recv(pair[0], bytes, sizeof bytes, 0));

    printf("%d\n", limit(pair[0], SO_SNDTIMEO, 0, 50000));
    static char block[1 << 16];
    long sent, all = 0;
    while ((sent = send(pair[0], block, sizeof block, 0)) > 0)
        all += sent;
    tell("full", sent);
    int pipes[2];
    assert(!pipe(pipes) && write(pipes[1], "abc", 3) == 3);
    tell("splice to full", splice(pipes[0], 0, pair[0], 0, 3, 0));
    assert(read(pipes[0], bytes, 3) == 3);
    close(pair[1]);
    tell("gone", send(pair[0], block, 1, MSG_NOSIGNAL));

    int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    assert(!bind(server, (void *)&address, length) && !listen(server, 2));
    assert(!getsockname(server, (void *)&address, &length));
    limit(server, SO_RCVTIMEO, 0, 40000);
    tell("accept", accept(server, 0, 0));
    assert(!connect(client, (void *)&address, length));
    int accepted = accept(server, 0, 0);
    told(accepted, SO_RCVTIMEO);
    told(client, SO_RCVTIMEO);
    tell("recv of accepted", recv(accepted, bytes, sizeof bytes, 0));

    int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    limit(datagrams, SO_RCVTIMEO, 0, 20000);
    tell("datagram", recv(datagrams, bytes, sizeof bytes, 0));
    return 0;
}
