// One thread permits others at its socket's address while another binds there: in time, or too late.
//@ outcomes: 0 98
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static int first;

static void *permit(void *unused) {
    (void)unused;
    int on = 1;
    setsockopt(first, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return NULL;
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(28731)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    pthread_t thread;
    int on = 1, second = socket(AF_INET, SOCK_STREAM, 0);
    first = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(second, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(first, (struct sockaddr *)&address, sizeof address) != 0) abort();
    pthread_create(&thread, NULL, permit, NULL);
    int bound = bind(second, (struct sockaddr *)&address, sizeof address), error = errno;
    pthread_join(thread, NULL);
    printf("%d", bound == 0 ? 0 : error);
    return 0;
}
