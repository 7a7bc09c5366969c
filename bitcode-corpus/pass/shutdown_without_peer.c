// Sockets without a peer are shut down: what becomes of connections not accepted, of accept, of who connects, of poll.
//@ native
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *what, long result) { printf("%s %ld %s\n", what, result, result < 0 ? strerror(errno) : ""); }

static void look(int socket) {
    struct pollfd entry = {socket, POLLIN | POLLOUT | POLLRDHUP, 0};
    int count = poll(&entry, 1, 0);
    printf("poll %d %x\n", count, entry.revents);
}

static void shut(int family, struct sockaddr *address, socklen_t length, int how) {
    char byte;
    int server = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0), client = socket(family, SOCK_STREAM, 0);
    int late = socket(family, SOCK_STREAM, 0);
    bind(server, address, length);
    listen(server, 4);
    getsockname(server, address, &length);
    tell("connect", connect(client, address, length));
    look(server);
    tell("shutdown", shutdown(server, how));
    look(server);
    int accepted = accept(server, 0, 0);
    tell("accept", accepted < 0 ? -1 : 0);
    tell("accept", accept(server, 0, 0));
    if (accepted < 0)
        tell("recv", recv(client, &byte, 1, MSG_DONTWAIT));
    tell("connect late", connect(late, address, length));
    tell("again", shutdown(server, how));
    close(accepted);
    close(late);
    close(client);
    close(server);
}

static void shut_fresh(int family) {
    int fresh = socket(family, SOCK_STREAM, 0);
    char byte;
    look(fresh);
    tell("shutdown", shutdown(fresh, SHUT_RD));
    look(fresh);
    tell("shutdown", shutdown(fresh, SHUT_RDWR));
    look(fresh);
    tell("recv", recv(fresh, &byte, 1, 0));
    tell("none", shutdown(fresh, 3));
    close(fresh);
}

int main(void) {
    shut_fresh(AF_INET);
    shut_fresh(AF_UNIX);
    struct sockaddr_in internet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int how = SHUT_RD; how <= SHUT_RDWR; how++) {
        internet.sin_port = 0;
        shut(AF_INET, (struct sockaddr *)&internet, sizeof internet, how);
        // Natively all processes of the machine share such names.
        struct sockaddr_un local = {.sun_family = AF_UNIX};
        int letters = snprintf(local.sun_path + 1, sizeof local.sun_path - 1, "symx shutdown %d", (int)getpid());
        shut(AF_UNIX, (struct sockaddr *)&local, sizeof(sa_family_t) + 1 + letters, how);
    }
    return 0;
}
