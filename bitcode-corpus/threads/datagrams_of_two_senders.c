// Two threads send a datagram to one socket, whose owner waits for both: they come in either order, each whole.
//@ outcomes: a,bc bc,a
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address = {.sin_family = AF_INET};

static void *send_one(void *unused) {
    (void)unused;
    int file = socket(AF_INET, SOCK_DGRAM, 0);
    sendto(file, "a", 1, 0, (struct sockaddr *)&address, sizeof address);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char first[8] = "", second[8] = "";
    int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(40000);
    bind(receiver, (struct sockaddr *)&address, sizeof address);
    pthread_create(&thread, NULL, send_one, NULL);
    sendto(sender, "bc", 2, 0, (struct sockaddr *)&address, sizeof address);
    recv(receiver, first, 8, 0);
    recv(receiver, second, 8, 0);
    printf("%s,%s", first, second);
    pthread_join(thread, NULL);
    return 0;
}
