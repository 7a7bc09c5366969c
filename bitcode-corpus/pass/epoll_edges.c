// Edge-triggered epoll reports what changed after the last report: writes, an end that closed, room; one shot; errors.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int set;

static void watch(int operation, int file, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = file};
    int result = epoll_ctl(set, operation, file, &event);
    if (result < 0)
        printf("epoll_ctl: %d\n", errno);
}

// What is reported now, in the order of the descriptors.
static void report(const char *when) {
    struct epoll_event found[8];
    int count = epoll_wait(set, found, 8, 0);
    printf("%s:", when);
    for (int file = 0; file < 64; file++)
        for (int index = 0; index < count; index++)
            if (found[index].data.fd == file)
                printf(" %x", found[index].events);
    printf("\n");
}

static void pipes(void) {
    int ends[2];
    char bytes[4096] = "";
    pipe2(ends, O_NONBLOCK);
    watch(EPOLL_CTL_ADD, ends[0], EPOLLIN | EPOLLET);
    report("empty");
    write(ends[1], "ab", 2);
    report("written");
    report("again");
    read(ends[0], bytes, 1);
    report("half read");
    write(ends[1], "c", 1);
    report("more");
    watch(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET);
    report("set anew");
    report("again");
    read(ends[0], bytes, 8);
    watch(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET);
    report("nothing to read");
    watch(EPOLL_CTL_ADD, ends[1], EPOLLOUT | EPOLLET);
    report("room");
    while (write(ends[1], bytes, sizeof bytes) > 0)
        ;
    report("full");
    read(ends[0], bytes, sizeof bytes);
    report("room again");
    close(ends[0]);
    report("no reader");
    report("again");
    close(ends[1]);
}

static void counters(void) {
    uint64_t one = 1;
    int counter = eventfd(0, EFD_NONBLOCK);
    watch(EPOLL_CTL_ADD, counter, EPOLLIN | EPOLLOUT | EPOLLET);
    report("counter");
    report("again");
    write(counter, &one, 8);
    report("added");
    write(counter, &one, 8);
    report("added again");
    read(counter, &one, 8);
    report("taken");
    watch(EPOLL_CTL_MOD, counter, EPOLLIN | EPOLLET);
    write(counter, &one, 8);
    read(counter, &one, 8);
    report("added and taken");
    int other = dup(counter);
    write(counter, &one, 8);
    close(counter);
    report("the duplicate keeps it");
    close(other);
    report("closed");
}

static void sockets(void) {
    int pair[2];
    char byte;
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    watch(EPOLL_CTL_ADD, pair[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
    report("pair");
    write(pair[1], "x", 1);
    report("sent");
    report("again");
    read(pair[0], &byte, 1);
    report("received");
    write(pair[0], "y", 1);
    read(pair[1], &byte, 1);
    report("the other has received");
    shutdown(pair[1], SHUT_WR);
    report("shut down");
    close(pair[1]);
    report("gone");
    close(pair[0]);
}

static void one_shot(void) {
    int ends[2];
    pipe(ends);
    watch(EPOLL_CTL_ADD, ends[0], EPOLLIN | EPOLLET | EPOLLONESHOT);
    write(ends[1], "a", 1);
    report("once");
    write(ends[1], "b", 1);
    report("disarmed");
    close(ends[1]);
    report("still");
    watch(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET | EPOLLONESHOT);
    report("armed");
    watch(EPOLL_CTL_MOD, ends[0], 0);
    report("hung up, though not asked for");
    close(ends[0]);
}

// With room for one report at a time, all get their turn.
static void in_turn(void) {
    int first = eventfd(1, 0), second = eventfd(1, 0), seen[2] = {0, 0};
    watch(EPOLL_CTL_ADD, first, EPOLLIN);
    watch(EPOLL_CTL_ADD, second, EPOLLIN);
    for (int round = 0; round < 4; round++) {
        struct epoll_event found;
        epoll_wait(set, &found, 1, -1);
        seen[found.data.fd == second]++;
    }
    printf("in turn: %d %d\n", seen[0], seen[1]);
    close(first);
    close(second);
}

static void errors(void) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    int other = epoll_create1(EPOLL_CLOEXEC), ends[2];
    pipe(ends);
    int file = open("/tmp", O_RDONLY | O_DIRECTORY);
    int results[] = {
        epoll_ctl(set, EPOLL_CTL_ADD, file, &event) < 0 ? errno : 0,
        epoll_ctl(set, EPOLL_CTL_ADD, set, &event) < 0 ? errno : 0,
        epoll_ctl(ends[0], EPOLL_CTL_ADD, ends[1], &event) < 0 ? errno : 0,
        epoll_ctl(set, EPOLL_CTL_ADD, 99, &event) < 0 ? errno : 0,
        epoll_ctl(99, EPOLL_CTL_ADD, ends[0], &event) < 0 ? errno : 0,
        epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &event) < 0 ? errno : 0,
        epoll_ctl(set, EPOLL_CTL_DEL, ends[0], NULL) < 0 ? errno : 0,
        epoll_ctl(set, 9, ends[0], &event) < 0 ? errno : 0,
        epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) < 0 ? errno : 0,
        epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) < 0 ? errno : 0,
        epoll_ctl(set, EPOLL_CTL_DEL, ends[0], NULL) < 0 ? errno : 0,
        epoll_wait(set, &event, 0, 0) < 0 ? errno : 0,
        epoll_wait(ends[0], &event, 1, 0) < 0 ? errno : 0,
        epoll_wait(99, &event, 1, 0) < 0 ? errno : 0,
        epoll_create1(1) < 0 ? errno : 0,
    };
    for (unsigned index = 0; index < sizeof results / sizeof *results; index++)
        printf("%d ", results[index]);
    event.events = EPOLLIN;
    printf("%d ", epoll_ctl(set, EPOLL_CTL_ADD, other, &event));
    printf("%d %d\n", epoll_ctl(other, EPOLL_CTL_ADD, set, &event), errno == ELOOP);
    event.data.u64 = 7;
    epoll_ctl(other, EPOLL_CTL_ADD, ends[0], &event);
    write(ends[1], "x", 1);
    printf("nested: %d\n", epoll_wait(set, &event, 1, -1));
}

int main(void) {
    set = epoll_create1(0);
    pipes();
    counters();
    sockets();
    one_shot();
    in_turn();
    errors();
    return 0;
}
