// A buffer said to be larger than it is: what comes fits, so nothing is written past its end.
//@ native
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
    char buffer[8];
    int ends[2], pair[2];
    pipe(ends);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    write(ends[1], "abc", 3);
    printf("%zd\n", read(ends[0], buffer, 1024));
    write(pair[1], "abcd", 4);
    struct iovec part = {buffer + 4, 512};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t count = recvmsg(pair[0], &message, 0);
    printf("%zd %.3s %.4s\n", count, buffer, buffer + 4);
    return 0;
}
