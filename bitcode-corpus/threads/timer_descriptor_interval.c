// Of an interval, a read gives how often the time was up: once, or more often if the reader comes late.
//@ outcomes: 1 2
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
    uint64_t times;
    struct itimerspec when = {.it_value = {0, 1000000}, .it_interval = {0, 1000000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &when, NULL);
    read(timer, &times, sizeof times);
    printf("%d", (int)times);
    return 0;
}
