// Clocks, notices and times of timers that are none are refused, and so is a timer that was taken away.
//@ outcomes: 1,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = 77, .sigev_signo = SIGUSR1};
    struct itimerspec when = {.it_value = {0, 1000000000}};
    printf("%d", timer_create(9999, NULL, &timer) == -1 && errno == EINVAL);
    printf(",%d", timer_create(CLOCK_REALTIME, &event, &timer) == -1 && errno == EINVAL);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = 1000;
    printf(",%d", timer_create(CLOCK_REALTIME, &event, &timer) == -1 && errno == EINVAL);
    event.sigev_notify = SIGEV_NONE;
    timer_create(CLOCK_REALTIME, &event, &timer);
    printf(",%d", timer_settime(timer, 0, &when, NULL) == -1 && errno == EINVAL);
    timer_delete(timer);
    when.it_value.tv_nsec = 1;
    printf(",%d\n", timer_settime(timer, 0, &when, NULL) == -1 && errno == EINVAL);
    return 0;
}
