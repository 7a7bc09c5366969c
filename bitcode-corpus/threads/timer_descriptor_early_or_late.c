// Whether a timer's time comes before another thread takes it back, and before a look without waiting, is open.
//@ outcomes: 0 1
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void *take_back(void *unused) {
    (void)unused;
    struct itimerspec never = {0};
    timerfd_settime(timer, 0, &never, NULL);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct itimerspec when = {.it_value = {0, 1000000}};
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
    timerfd_settime(timer, 0, &when, NULL);
    pthread_create(&thread, NULL, take_back, NULL);
    printf("%d", epoll_wait(set, &event, 1, 0));
    pthread_join(thread, NULL);
    return 0;
}
