// timerfd watched by edges: an edge each time that it is up for the first time since it was read or set.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const struct timespec twenty_milliseconds = {0, 20000000};

// What a read gives: the count, or minus the error.
static long count(int timer) {
    uint64_t times = 77;
    ssize_t result = read(timer, &times, sizeof times);
    return result == 8 ? (long)times : -errno;
}

static int set(int timer, int flags, time_t seconds, long fraction, long interval) {
    struct itimerspec when = {.it_value = {seconds, fraction}, .it_interval = {0, interval}};
    return timerfd_settime(timer, flags, &when, NULL) < 0 ? errno : 0;
}

static void watched(void) {
    int timer = timerfd_create(CLOCK_BOOTTIME, 0), all = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    printf("%d ", epoll_ctl(all, EPOLL_CTL_ADD, timer, &event));
    printf("%d ", epoll_wait(all, &event, 1, 0));
    set(timer, 0, 0, 1000000, 0);
    printf("%d ", epoll_wait(all, &event, 1, -1));
    printf("%d ", epoll_wait(all, &event, 1, 0));
    printf("%ld ", count(timer));
    set(timer, 0, 0, 1000000, 0);
    printf("%d ", epoll_wait(all, &event, 1, -1));
    nanosleep(&twenty_milliseconds, NULL);
    set(timer, 0, 0, 1000000, 0);
    nanosleep(&twenty_milliseconds, NULL);
    printf("%d %d\n", epoll_wait(all, &event, 1, 0), epoll_wait(all, &event, 1, 0));
    close(timer);
}

int main(void) {
    watched();
    return 0;
}
