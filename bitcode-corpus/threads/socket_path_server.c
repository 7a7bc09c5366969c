// A client connects by path beside a server that binds and listens: too early it finds no path, or nobody listening.
//@ outcomes: -2 -111 x
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/tmp/door"};

static void *serve(void *unused) {
    (void)unused;
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    bind(server, (const struct sockaddr *)&address, sizeof address);
    listen(server, 1);
    return (void *)(long)server;
}

int main(void) {
    pthread_t thread;
    void *server;
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_create(&thread, NULL, serve, NULL);
    int result = connect(client, (const struct sockaddr *)&address, sizeof address);
    int error = errno;
    pthread_join(thread, &server);
    if (result < 0) {
        printf("%d", -error);
        return 0;
    }
    char byte;
    int accepted = accept((int)(long)server, NULL, NULL);
    write(client, "x", 1);
    read(accepted, &byte, 1);
    printf("%c", byte);
    return 0;
}
