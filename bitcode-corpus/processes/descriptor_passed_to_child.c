// A process passes the end of a pipe to its child over a socket that they share, and gets what the child writes there.
// The pipe ends with the last descriptor, even of one that is on its way.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int pass(int socket, int *file, int sends) {
    char byte = 'x';
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control = {{0}};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
    message.msg_controllen = sizeof control.bytes;
    if (sends) {
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.head), file, sizeof(int));
        return sendmsg(socket, &message, 0) == 1;
    }
    if (recvmsg(socket, &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
        return 0;
    memcpy(file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    return 1;
}

int main(void) {
    int pair[2], pipes[2], file = -1;
    char text[8] = "";
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    if (fork() == 0) {
        close(pair[0]);
        assert(pass(pair[1], &file, 0) && write(file, "child", 5) == 5);
        _exit(0);
    }
    close(pair[1]);
    assert(!pipe(pipes) && pass(pair[0], &pipes[1], 1));
    close(pipes[1]);
    assert(read(pipes[0], text, 8) == 5 && !strcmp(text, "child"));
    assert(read(pipes[0], text, 8) == 0);
    assert(wait(NULL) > 0);
    return 0;
}
