// A lower limit of descriptors: calls that make one fail with EMFILE, and those that name one find it bad.
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static void show(const char *what, int result) {
    printf("%s %d %d\n", what, result, result < 0 ? errno : 0);
}

int main(void) {
    struct rlimit limit, old;
    int two[2];
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 40);
    limit.rlim_cur = 40;
    assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    assert(getrlimit(RLIMIT_NOFILE, &old) == 0 && old.rlim_cur == 40 && old.rlim_max == limit.rlim_max);
    printf("%ld %d\n", sysconf(_SC_OPEN_MAX), getdtablesize());

    int last = -1, next;
    while ((next = open("/dev/null", O_RDONLY)) >= 0)
        last = next;
    show("open", next);
    printf("last %d\n", last);
    show("missing", open("/missing", O_RDONLY));
    show("dup", dup(last));
    show("F_DUPFD", fcntl(last, F_DUPFD, 39));
    show("F_DUPFD", fcntl(last, F_DUPFD, 40));
    show("dup2", dup2(last, 40));
    show("dup2", dup2(last, last));
    show("socket", socket(AF_UNIX, SOCK_STREAM, 0));
    show("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, two));
    show("pipe", pipe(two));
    show("eventfd", eventfd(0, 0));
    show("epoll", epoll_create1(0));
    struct pollfd many[41];
    for (int i = 0; i < 41; i++)
        many[i] = (struct pollfd){.fd = -1};
    show("poll", poll(many, 40, 0));
    show("poll", poll(many, 41, 0));

    close(last);
    show("pipe", pipe(two));
    show("eventfd", eventfd(0, 0));

    old = limit;
    limit.rlim_cur = limit.rlim_max;
    limit.rlim_max--;
    show("above", setrlimit(RLIMIT_NOFILE, &limit));
    show("resource", setrlimit(99, &old));
    show("resource", getrlimit(99, &old));
    limit.rlim_cur = limit.rlim_max = old.rlim_max;
    assert(prlimit(0, RLIMIT_NOFILE, &limit, &old) == 0 && old.rlim_cur == 40);
    show("raised", dup(last));
    return 0;
}
