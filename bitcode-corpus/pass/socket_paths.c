// Local stream sockets: bound to paths and to abstract names, connected, accepted, named, unlinked; failing calls.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address;
static socklen_t length;

static void name(const char *path) {
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (path[0] == '@')
        memcpy(address.sun_path + 1, path + 1, strlen(path) - 1);
    else
        strcpy(address.sun_path, path);
    length = offsetof(struct sockaddr_un, sun_path) + strlen(path);
}

static int result(int value) {
    return value < 0 ? -errno : value;
}

static int bind_to(int file, const char *path) {
    name(path);
    return result(bind(file, (struct sockaddr *)&address, length));
}

static int connect_to(int file, const char *path) {
    name(path);
    return result(connect(file, (struct sockaddr *)&address, length));
}

// The length of a socket's own name, or its peer's, and what it is without its first byte.
static void show(int file, int of_peer) {
    struct sockaddr_un found;
    socklen_t room = sizeof found;
    memset(&found, 0, sizeof found);
    int got = of_peer ? getpeername(file, (struct sockaddr *)&found, &room)
                      : getsockname(file, (struct sockaddr *)&found, &room);
    printf("(%d %d %u %s)", result(got), found.sun_family, room, found.sun_path + (found.sun_path[0] == 0));
}

static void by_path(void) {
    char folder[] = "/tmp/symx-XXXXXX", byte;
    struct stat status;
    mkdtemp(folder);
    chdir(folder);
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    printf("%d %d ", connect_to(client, "door"), bind_to(server, "no/door"));
    printf("%d ", bind_to(server, "door"));
    printf("%d ", bind_to(server, "other"));
    printf("%d ", bind_to(client, "door"));
    stat("door", &status);
    printf("%d %d ", S_ISSOCK(status.st_mode), open("door", O_RDONLY) < 0 ? errno : 0);
    printf("%d ", connect_to(client, "door"));
    printf("%d ", result(accept(server, NULL, NULL)));
    printf("%d ", result(listen(server, 2)));
    printf("%d ", connect_to(client, "door"));
    printf("%d\n", connect_to(client, "door"));
    struct sockaddr_un peer;
    socklen_t room = sizeof peer;
    int accepted = accept(server, (struct sockaddr *)&peer, &room);
    printf("%d %u ", accepted >= 0, room);
    show(server, 0);
    show(accepted, 0);
    show(accepted, 1);
    show(client, 0);
    show(client, 1);
    show(server, 1);
    printf("\n%zd ", write(client, "x", 1));
    printf("%zd ", recv(accepted, &byte, 1, MSG_PEEK));
    printf("%zd ", read(accepted, &byte, 1));
    printf("%d ", connect_to(server, "door"));
    int second = socket(AF_UNIX, SOCK_STREAM, 0), third = socket(AF_UNIX, SOCK_DGRAM, 0);
    printf("%d ", connect_to(third, "door"));
    printf("%d %d ", unlink("door"), connect_to(second, "door"));
    printf("%d ", bind_to(second, "door"));
    close(server);
    printf("%d ", connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "door"));
    printf("%d ", unlink("door"));
    printf("%d\n", result(creat("plain", 0600)) >= 0);
    printf("%d ", connect_to(third, "plain"));
    printf("%d ", bind_to(socket(AF_UNIX, SOCK_STREAM, 0), "plain"));
    close(client);
    printf("%zd\n", read(accepted, &byte, 1));
    unlink("plain");
    chdir("/");
    rmdir(folder);
}

// The process's number keeps native runs apart.
static void by_abstract_name(void) {
    char door[32];
    snprintf(door, sizeof door, "@symx %010d", (int)getpid());
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    printf("%d ", connect_to(client, door));
    printf("%d ", bind_to(server, door));
    printf("%d ", bind_to(client, door));
    printf("%d ", result(listen(server, 0)));
    printf("%d ", result(accept(server, NULL, NULL)));
    struct pollfd polled = {server, POLLIN, 0};
    printf("%d ", poll(&polled, 1, 0));
    printf("%d ", connect_to(client, door));
    int late = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    printf("%d ", connect_to(late, door));
    printf("%d ", poll(&polled, 1, 0));
    struct sockaddr_un found;
    socklen_t room = sizeof found;
    getsockname(server, (struct sockaddr *)&found, &room);
    printf("%u %d", room, memcmp(found.sun_path + 1, door + 1, strlen(door) - 1) == 0);
    close(server);
    char byte;
    printf(" %d\n", result(read(client, &byte, 1)));
}

static void errors(void) {
    int file = socket(AF_UNIX, SOCK_STREAM, 0), ends[2], kind = 0;
    pipe(ends);
    socklen_t four = sizeof kind;
    char byte = 0;
    struct sockaddr_un other = {.sun_family = AF_INET};
    int results[] = {
        result(listen(file, 1)),
        result(bind(file, (struct sockaddr *)&other, sizeof other)),
        result(bind(file, (struct sockaddr *)&other, 1)),
        result(connect(file, (struct sockaddr *)&other, sizeof other)),
        result(bind(ends[0], (struct sockaddr *)&other, sizeof other)),
        result(bind(99, (struct sockaddr *)&other, sizeof other)),
        result(getpeername(file, (struct sockaddr *)&other, &four)),
        result(read(file, &byte, 1)),
        result(write(file, &byte, 1)),
        result(send(ends[1], &byte, 1, 0)),
        result(accept(ends[0], NULL, NULL)),
        result(accept(99, NULL, NULL)),
        result(socketpair(AF_INET, SOCK_STREAM, 0, ends)),
        result(getsockopt(file, SOL_SOCKET, SO_TYPE, &kind, &four)),
    };
    for (unsigned index = 0; index < sizeof results / sizeof *results; index++)
        printf("%d ", results[index]);
    printf("%d\n", kind == SOCK_STREAM);
}

int main(void) {
    by_path();
    by_abstract_name();
    errors();
    return 0;
}
