// A server and its client over the loopback: bind to a free port, listen, accept, both ways, shutdown, end of stream.
//@ native
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address = {.sin_family = AF_INET};

static void *serve(void *listener) {
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    int file = accept(*(int *)listener, (struct sockaddr *)&peer, &length);
    char bytes[32];
    ssize_t count;
    while ((count = recv(file, bytes, sizeof bytes, 0)) > 0)
        send(file, bytes, count, MSG_NOSIGNAL);
    close(file);
    return NULL;
}

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    printf("%d ", bind(listener, (struct sockaddr *)&address, sizeof address));
    printf("%d ", listen(listener, 4));
    socklen_t length = sizeof address;
    printf("%d %d\n", getsockname(listener, (struct sockaddr *)&address, &length), address.sin_port != 0);
    pthread_t server;
    pthread_create(&server, NULL, serve, &listener);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    printf("%d\n", connect(file, (struct sockaddr *)&address, sizeof address));
    char back[32] = "";
    printf("%zd ", send(file, "ping", 4, 0));
    printf("%zd %s\n", recv(file, back, 4, MSG_WAITALL), back);
    printf("%d ", shutdown(file, SHUT_WR));
    printf("%zd\n", read(file, back, sizeof back));
    pthread_join(server, NULL);
    close(listener);
    int late = socket(AF_INET, SOCK_STREAM, 0);
    printf("%d %d\n", connect(late, (struct sockaddr *)&address, sizeof address), errno == ECONNREFUSED);
    return 0;
}
