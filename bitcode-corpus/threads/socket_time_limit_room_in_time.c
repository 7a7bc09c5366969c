// Calls that send within a time limit find room in time, or too late: a record, and what splice moves. What is sent
// in time is whole.
//@ outcomes: in_time,in_time in_time,too_late too_late,in_time too_late,too_late
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MANY = 1 << 15 };
static char block[MANY], message[MANY] = "abc";
static int pair[2];

static void *receiver(void *unused) {
    assert(recv(pair[1], block, MANY, 0) > 0);
    return unused;
}

static const char *try(int kind) {
    pthread_t thread;
    struct timeval limit = {0, 1000};
    int pipes[2];
    long sent, got, last = 0;
    assert(!socketpair(AF_UNIX, kind, 0, pair) && !pipe(pipes) && write(pipes[1], "abc", 3) == 3);
    while (send(pair[0], block, MANY, MSG_DONTWAIT) > 0) {
    }
    assert(!setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
    pthread_create(&thread, 0, receiver, 0);
    sent = kind == SOCK_STREAM ? splice(pipes[0], 0, pair[0], 0, 3, 0) : send(pair[0], message, MANY, 0);
    pthread_join(thread, 0);
    if (sent < 0)
        return "too_late";
    while ((got = recv(pair[1], block, MANY, MSG_DONTWAIT)) > 0)
        last = got;
    assert(!memcmp(block + (kind == SOCK_STREAM ? last - 3 : 0), "abc", 3));
    return "in_time";
}

int main(void) {
    const char *first = try(SOCK_SEQPACKET);
    printf("%s,%s\n", first, try(SOCK_STREAM));
    return 0;
}
