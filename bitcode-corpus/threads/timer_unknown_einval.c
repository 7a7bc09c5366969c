// A timer that was deleted is known no more.
//@ outcomes: 1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    timer_t timer;
    struct itimerspec value = {0};
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_delete(timer);
    errno = 0;
    printf("%d", timer_gettime(timer, &value) == -1 && errno == EINVAL);
    errno = 0;
    printf(",%d", timer_settime(timer, 0, &value, NULL) == -1 && errno == EINVAL);
    errno = 0;
    printf(",%d", timer_getoverrun(timer) == -1 && errno == EINVAL);
    errno = 0;
    printf(",%d\n", timer_delete(timer) == -1 && errno == EINVAL);
    return 0;
}
