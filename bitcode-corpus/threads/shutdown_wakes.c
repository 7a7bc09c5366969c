// A thread that waits at a stream goes on when another one shuts it down: it gets what is there first, then the end,
// or may send no more.
//@ outcomes: 0,-1
//@ native
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>

static int pair[2], other[2];
static long received, sent;

static void *receiver(void *unused) {
    char byte;
    received = recv(pair[0], &byte, 1, 0);
    return unused;
}

static void *sender(void *unused) {
    static char block[1 << 15];
    do
        sent = send(other[0], block, sizeof block, MSG_NOSIGNAL);
    while (sent > 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && !socketpair(AF_UNIX, SOCK_STREAM, 0, other));
    pthread_create(&threads[0], NULL, receiver, NULL);
    pthread_create(&threads[1], NULL, sender, NULL);
    shutdown(pair[0], SHUT_RDWR);
    shutdown(other[0], SHUT_WR);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld,%ld\n", received, sent);
    return 0;
}
