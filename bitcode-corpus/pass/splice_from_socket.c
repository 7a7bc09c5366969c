// splice moves bytes from a connected stream to a pipe.
//@ native
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static void show(const char *what, ssize_t done) {
    printf("%s %zd %d\n", what, done, done < 0 ? errno : 0);
}

static void connection(int family, int *pair) {
    if (family == AF_UNIX) {
        assert(!socketpair(family, SOCK_STREAM, 0, pair));
        return;
    }
    struct sockaddr_in address = {.sin_family = family, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int server = socket(family, SOCK_STREAM, 0);
    assert(!bind(server, (void *)&address, length) && !listen(server, 1));
    assert(!getsockname(server, (void *)&address, &length));
    pair[1] = socket(family, SOCK_STREAM, 0);
    assert(!connect(pair[1], (void *)&address, length) && (pair[0] = accept(server, NULL, NULL)) >= 0);
    close(server);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    int families[] = {AF_UNIX, AF_INET};
    for (int i = 0; i < 2; i++) {
        int pair[2], pipes[2], broken[2];
        char text[8] = "";
        loff_t at = 0;
        struct timeval limit = {0, 50000};
        connection(families[i], pair);
        assert(!pipe(pipes) && !pipe(broken) && write(pair[1], "hello", 5) == 5);
        show("some", splice(pair[0], NULL, pipes[1], NULL, 3, 0));
        show("rest", splice(pair[0], NULL, pipes[1], NULL, 100, 0));
        show("read", read(pipes[0], text, 8));
        puts(text);
        assert(!setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
        show("late", splice(pair[0], NULL, pipes[1], NULL, 1, 0));
        show("flag", splice(pair[0], NULL, pipes[1], NULL, 1, SPLICE_F_NONBLOCK));
        close(broken[0]);
        show("broken", splice(pair[0], NULL, broken[1], NULL, 1, 0));
        show("position", splice(pair[0], &at, pipes[1], NULL, 1, 0));
        show("mode", splice(pair[0], NULL, pipes[0], NULL, 1, 0));
        show("nothing", splice(pair[0], NULL, pipes[1], NULL, 0, 0));
        close(pair[1]);
        show("end", splice(pair[0], NULL, pipes[1], NULL, 1, 0));
        int fresh = socket(families[i], SOCK_STREAM, 0);
        show("fresh", splice(fresh, NULL, pipes[1], NULL, 1, 0));
    }
    return 0;
}
