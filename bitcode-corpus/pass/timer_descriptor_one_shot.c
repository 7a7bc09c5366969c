// timerfd, one shot: read and polled, what is left, set again, taken back; who slept knows that the time was up.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
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

static void one_shot(void) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct pollfd file = {timer, POLLIN | POLLOUT, 0};
    struct itimerspec left;
    printf("%ld %d ", count(timer), poll(&file, 1, 0));
    printf("%d ", set(timer, 0, 3600, 0, 0));
    printf("%ld ", count(timer));
    struct itimerspec soon = {.it_value = {0, 1000000}};
    printf("%d ", timerfd_settime(timer, 0, &soon, &left));
    printf("%d ", left.it_value.tv_sec >= 3599 && left.it_interval.tv_sec == 0);
    printf("%d %x ", poll(&file, 1, -1), file.revents);
    printf("%ld %ld ", count(timer), count(timer));
    timerfd_gettime(timer, &left);
    printf("%ld %ld\n", left.it_value.tv_sec, left.it_value.tv_nsec);
    // Who has slept longer knows that the time was up.
    set(timer, 0, 0, 1000000, 0);
    nanosleep(&twenty_milliseconds, NULL);
    timerfd_gettime(timer, &left);
    printf("%ld %ld %d ", left.it_value.tv_sec, left.it_value.tv_nsec, poll(&file, 1, 0));
    // Setting it anew forgets what was not read.
    set(timer, 0, 3600, 0, 0);
    printf("%d %ld ", poll(&file, 1, 0), count(timer));
    printf("%d ", set(timer, 0, 0, 0, 0));
    timerfd_gettime(timer, &left);
    printf("%ld %ld\n", left.it_value.tv_sec, left.it_value.tv_nsec);
    close(timer);
}

int main(void) {
    one_shot();
    return 0;
}
