// Calls that find no descriptor free leave nothing behind: one that tries them again and again spins.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int fails(void) {
    int two[2];
    sigset_t none;
    sigemptyset(&none);
    return pipe(two) < 0 && socket(AF_UNIX, SOCK_STREAM, 0) < 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, two) < 0 &&
           socketpair(AF_UNIX, SOCK_DGRAM, 0, two) < 0 && eventfd(0, 0) < 0 && epoll_create1(0) < 0 &&
           memfd_create("m", 0) < 0 && timerfd_create(CLOCK_MONOTONIC, 0) < 0 && signalfd(-1, &none, 0) < 0 &&
           inotify_init1(0) < 0 && open("/tmp/symx_none", O_CREAT | O_RDWR, 0600) < 0 && dup(0) < 0;
}

int main(void) {
    struct rlimit limit = {3, 3};
    assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while (fails()) { //~ ERROR: livelock: T0 main spins forever
    }
    return 0;
}
