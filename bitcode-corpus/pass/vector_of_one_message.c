// sendmmsg and recvmmsg of one message pass it as sendmsg and recvmsg do; of none, a socket is asked for.
//@ native
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call(long number, int descriptor, struct mmsghdr *message, int flags) {
    return syscall(number, descriptor, message, 1, flags, NULL);
}

int main(void) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, from = {0};
    socklen_t size = sizeof own;
    int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
    char text[] = "datagram", found[20] = "";
    struct iovec out = {text, 8}, in = {found, sizeof found};
    struct mmsghdr sent = {{&own, sizeof own, &out, 1, NULL, 0, 0}, 0};
    struct mmsghdr received = {{&from, sizeof from, &in, 1, NULL, 0, 0}, 0};
    if (bind(receiver, (struct sockaddr *)&own, sizeof own)) return 1;
    if (getsockname(receiver, (struct sockaddr *)&own, &size)) return 2;
    printf("%ld %d\n", call(SYS_recvmmsg, receiver, &received, MSG_DONTWAIT), errno == EAGAIN);
    printf("%ld %u\n", call(SYS_sendmmsg, sender, &sent, 0), sent.msg_len);
    printf("%ld ", call(SYS_recvmmsg, receiver, &received, MSG_WAITFORONE));
    printf("%u %s %d\n", received.msg_len, found, from.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    printf("%ld ", syscall(SYS_sendmmsg, sender, NULL, 0, 0));
    printf("%ld %d\n", syscall(SYS_sendmmsg, 0, NULL, 0, 0), errno == ENOTSOCK);
    printf("%ld %d\n", call(SYS_sendmmsg, -1, &sent, 0), errno == EBADF);
    return 0;
}
