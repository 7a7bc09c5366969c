// A thread sends records until there is no room; another receives them one by one, each whole and in order.
//@ outcomes: 5
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static int pair[2];
static char large[20000];

static void *sender(void *unused) {
    for (int i = 0; i < 5; i++)
        send(pair[0], large, sizeof large - i, 0);
    return unused;
}

int main(void) {
    static char bytes[sizeof large];
    pthread_t thread;
    int right = 0;
    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
    pthread_create(&thread, 0, sender, 0);
    for (int i = 0; i < 5; i++)
        right += recv(pair[1], bytes, sizeof bytes, 0) == (long)sizeof large - i;
    pthread_join(thread, 0);
    printf("%d\n", right);
    return 0;
}
