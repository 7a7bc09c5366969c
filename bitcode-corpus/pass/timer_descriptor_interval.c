// timerfd with an interval: a read counts how often the time was up.
//@ native
#define _GNU_SOURCE
#include <errno.h>
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

static void intervals(void) {
    int timer = timerfd_create(CLOCK_REALTIME, 0);
    struct itimerspec left;
    set(timer, 0, 0, 1000000, 1000);
    nanosleep(&twenty_milliseconds, NULL);
    printf("%d ", count(timer) >= 18000);
    timerfd_gettime(timer, &left);
    printf("%ld %d\n", left.it_interval.tv_nsec, left.it_value.tv_nsec <= 1000);
    close(timer);
}

int main(void) {
    intervals();
    return 0;
}
