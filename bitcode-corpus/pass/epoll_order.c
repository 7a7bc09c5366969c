// epoll reports what changed first before what changed later: also where a report has no room for all, and what it
// reported and stays ready comes last in the next one.
//@ native
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int set;

static void watch(int operation, int file, uint32_t events, char name) {
    struct epoll_event event = {.events = events, .data.u32 = name};
    if (epoll_ctl(set, operation, file, &event))
        printf("!");
}

static void report(const char *when, int most) {
    struct epoll_event found[8];
    int count = epoll_wait(set, found, most, 0);
    printf("%s:", when);
    for (int index = 0; index < count; index++)
        printf(" %c%x", found[index].data.u32, found[index].events);
    printf("\n");
}

static void add(int file) {
    uint64_t one = 1;
    write(file, &one, sizeof one);
}

static void take(int file) {
    uint64_t value;
    read(file, &value, sizeof value);
}

int main(void) {
    int a = eventfd(0, EFD_NONBLOCK), b = eventfd(0, EFD_NONBLOCK), c = eventfd(0, EFD_NONBLOCK), ends[2], streams[2];
    set = epoll_create1(0);
    watch(EPOLL_CTL_ADD, a, EPOLLIN, 'a');
    watch(EPOLL_CTL_ADD, b, EPOLLIN, 'b');
    watch(EPOLL_CTL_ADD, c, EPOLLIN, 'c');
    report("nothing", 8);
    add(c);
    add(a);
    add(b);
    report("as they changed", 8);
    report("the same again", 8);
    report("one of them", 1);
    report("the next", 1);
    report("two", 2);
    take(c);
    add(c);
    report("taken and added where it is", 8);
    take(a);
    report("one less", 8);
    add(a);
    report("and back", 8);
    watch(EPOLL_CTL_MOD, b, EPOLLIN, 'B');
    report("set again where it is", 8);
    watch(EPOLL_CTL_DEL, b, 0, 0);
    watch(EPOLL_CTL_ADD, b, EPOLLIN, 'b');
    report("removed and added", 8);
    watch(EPOLL_CTL_MOD, c, EPOLLIN | EPOLLONESHOT, 'c');
    report("once", 8);
    watch(EPOLL_CTL_MOD, c, EPOLLIN | EPOLLONESHOT, 'c');
    report("armed again", 8);
    watch(EPOLL_CTL_MOD, a, EPOLLIN | EPOLLET, 'a');
    report("edge", 8);
    add(b);
    add(a);
    report("changed again", 8);
    take(a), take(b), take(c);
    report("all taken", 8);

    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, streams);
    watch(EPOLL_CTL_ADD, ends[0], EPOLLIN, 'p');
    watch(EPOLL_CTL_ADD, streams[0], EPOLLIN, 's');
    watch(EPOLL_CTL_MOD, a, EPOLLIN, 'a');
    write(streams[1], "x", 1);
    write(ends[1], "x", 1);
    add(a);
    report("stream, pipe, counter", 8);
    char byte;
    read(ends[0], &byte, 1), read(streams[0], &byte, 1), take(a);
    report("taken", 8);
    close(ends[1]);
    shutdown(streams[1], SHUT_WR);
    report("ends that are gone", 8);
    close(ends[0]), close(streams[0]), close(streams[1]);

    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int told = signalfd(-1, &signals, SFD_NONBLOCK);
    watch(EPOLL_CTL_ADD, told, EPOLLIN, 'k');
    kill(getpid(), SIGUSR1);
    add(a);
    report("signal, counter", 8);

    int outer = epoll_create1(0), inner = set;
    set = outer;
    watch(EPOLL_CTL_ADD, b, EPOLLIN, 'b');
    watch(EPOLL_CTL_ADD, inner, EPOLLIN, 'i');
    add(b);
    report("set in a set, counter", 8);
    take(b), take(a);
    struct signalfd_siginfo information;
    read(told, &information, sizeof information);
    report("nothing in either", 8);
    add(a);
    add(b);
    report("set in a set first", 8);
    return 0;
}
