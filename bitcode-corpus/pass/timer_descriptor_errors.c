// Failing calls of timerfd.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int set(int timer, int flags, time_t seconds, long fraction, long interval) {
    struct itimerspec when = {.it_value = {seconds, fraction}, .it_interval = {0, interval}};
    return timerfd_settime(timer, flags, &when, NULL) < 0 ? errno : 0;
}

static void errors(void) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), ends[2];
    struct itimerspec when = {.it_value = {0, 1}};
    char small[4] = "";
    pipe(ends);
    int results[] = {
        timerfd_create(CLOCK_MONOTONIC, 1) < 0 ? errno : 0,
        timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0) < 0 ? errno : 0,
        timerfd_create(77, 0) < 0 ? errno : 0,
        set(99, 0, 1, 0, 0),
        set(ends[0], 0, 1, 0, 0),
        set(timer, 8, 1, 0, 0),
        set(timer, 0, 0, 1000000000, 0),
        set(timer, 0, -1, 0, 0),
        set(timer, 0, 1, 0, -1),
        timerfd_gettime(ends[1], &when) < 0 ? errno : 0,
        timerfd_gettime(99, &when) < 0 ? errno : 0,
        read(timer, small, sizeof small) < 0 ? errno : 0,
        write(timer, small, sizeof small) < 0 ? errno : 0,
        pread(timer, small, sizeof small, 0) < 0 ? errno : 0,
        lseek(timer, 0, SEEK_SET) < 0 ? errno : 0,
    };
    for (unsigned index = 0; index < sizeof results / sizeof *results; index++)
        printf("%d ", results[index]);
    printf("\n");
}

int main(void) {
    errors();
    return 0;
}
