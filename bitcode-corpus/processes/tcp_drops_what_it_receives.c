// A socket of TCP that receives with MSG_TRUNC drops the bytes and leaves the buffer alone.
//@ native
//@ outcomes: done
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    assert(bind(listener, (void *)&address, length) == 0 && listen(listener, 1) == 0);
    assert(getsockname(listener, (void *)&address, &length) == 0);
    assert(connect(client, (void *)&address, length) == 0);
    int server = accept(listener, NULL, NULL);
    char buffer[20] = "xxxx";
    assert(write(client, "0123456789", 10) == 10);
    assert(recv(server, buffer, 4, MSG_TRUNC) == 4 && memcmp(buffer, "xxxx", 4) == 0);
    assert(recv(server, NULL, 3, MSG_TRUNC) == 3);
    assert(recv(server, buffer, 2, MSG_TRUNC | MSG_PEEK) == 2 && buffer[0] == 'x');
    assert(recv(server, buffer, 20, MSG_PEEK) == 3 && memcmp(buffer, "789", 3) == 0);
    assert(recv(server, buffer, 20, MSG_TRUNC) == 3);
    assert(recv(server, buffer, 20, MSG_TRUNC | MSG_DONTWAIT) == -1 && errno == EAGAIN);
    assert(write(client, "ab", 2) == 2 && recv(server, buffer, 20, 0) == 2 && memcmp(buffer, "ab", 2) == 0);
    puts("done");
    return 0;
}
