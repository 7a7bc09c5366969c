// Calls that make descriptors refuse flags that they do not know.
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define REFUSED(call) (errno = 0, assert((call) == -1 && errno == EINVAL))

int main(void) {
    int unknown = 0x10000, ends[2];
    sigset_t set;
    sigemptyset(&set);
    REFUSED(pipe2(ends, unknown));
    REFUSED(eventfd(0, unknown));
    REFUSED(epoll_create1(unknown));
    REFUSED(inotify_init1(unknown));
    REFUSED(signalfd(-1, &set, unknown));
    REFUSED(timerfd_create(CLOCK_MONOTONIC, unknown));
    REFUSED(socket(AF_INET, SOCK_STREAM | unknown, 0));
    REFUSED(socketpair(AF_UNIX, SOCK_STREAM | unknown, 0, ends));
    // Those that there are, are taken.
    assert(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    assert(fcntl(ends[0], F_GETFD) == FD_CLOEXEC && (fcntl(ends[1], F_GETFL) & O_NONBLOCK));
    assert(eventfd(1, EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK) > ends[1]);
    return 0;
}
