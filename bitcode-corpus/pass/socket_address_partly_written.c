// Bytes of an address that mean nothing may be unwritten: those after the host, the flow, those after the end of a path.
//@ native
//@ flags: --undefined all=error
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void internet(void) {
    struct sockaddr_in address;
    address.sin_family = AF_INET;
    address.sin_port = 0;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, 1) == 0);
    struct sockaddr_in bound;
    assert(getsockname(server, (struct sockaddr *)&bound, &length) == 0);
    address.sin_port = bound.sin_port;
    assert(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    close(client);
    close(server);
}

static void local(void) {
    char folder[] = "/tmp/symx-XXXXXX";
    assert(mkdtemp(folder) && chdir(folder) == 0);
    struct sockaddr_un address;
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path, "door");
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, 1) == 0);
    assert(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    close(client);
    close(server);
    unlink("door");
    rmdir(folder);
}

int main(void) {
    internet();
    local();
    return 0;
}
