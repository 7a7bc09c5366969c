// A thread receives with a time limit: the byte comes before it is up, or it comes too late.
//@ outcomes: in_time too_late
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>

static int pair[2];

static void *sender(void *unused) {
    send(pair[1], "x", 1, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    struct timeval limit = {0, 1000};
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    pthread_create(&thread, 0, sender, 0);
    puts(recv(pair[0], &byte, 1, 0) == 1 ? "in_time" : errno == EAGAIN ? "too_late" : "?");
    pthread_join(thread, 0);
    return 0;
}
