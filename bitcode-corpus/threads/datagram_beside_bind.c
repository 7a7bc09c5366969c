// A datagram is sent to a path that another thread binds a socket to: there is no path yet, or it is received.
//@ outcomes: -2 x
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/tmp/box"};
static int receiver;

static void *bind_it(void *unused) {
    (void)unused;
    bind(receiver, (const struct sockaddr *)&address, sizeof address);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char byte;
    int sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
    pthread_create(&thread, NULL, bind_it, NULL);
    int sent = sendto(sender, "x", 1, 0, (const struct sockaddr *)&address, sizeof address);
    int error = errno;
    pthread_join(thread, NULL);
    if (sent < 0) {
        printf("%d", -error);
        return 0;
    }
    recv(receiver, &byte, 1, 0);
    printf("%c", byte);
    return 0;
}
