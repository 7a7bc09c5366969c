// timerfd until an absolute time: one that is over is up at once.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

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

static void absolute(void) {
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%d ", set(timer, TFD_TIMER_ABSTIME, now.tv_sec, now.tv_nsec, 0));
    printf("%ld ", count(timer));
    printf("%d ", set(timer, TFD_TIMER_ABSTIME, 0, 1, 0));
    printf("%ld ", count(timer));
    set(timer, TFD_TIMER_ABSTIME, now.tv_sec, now.tv_nsec + 1000000 < 1000000000 ? now.tv_nsec + 1000000 : 0, 0);
    printf("%ld\n", count(timer));
    close(timer);
}

int main(void) {
    absolute();
    return 0;
}
