// A full local queue: who sends one more waits until another thread has received one.
//@ outcomes: 1,12
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0symx room"};
static int receiver, received;

static void *receive(void *unused) {
    char byte;
    (void)unused;
    received += recv(receiver, &byte, 1, 0);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char byte;
    int sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
    bind(receiver, (const struct sockaddr *)&address, sizeof address);
    connect(sender, (const struct sockaddr *)&address, sizeof address);
    for (int index = 0; index < 11; index++)
        send(sender, "m", 1, 0);
    pthread_create(&thread, NULL, receive, NULL);
    printf("%d,", (int)send(sender, "m", 1, 0));
    pthread_join(thread, NULL);
    while (recv(receiver, &byte, 1, MSG_DONTWAIT) == 1)
        received++;
    printf("%d", received);
    return 0;
}
