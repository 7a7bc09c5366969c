// A thread reads from a timer that another sets: it waits until the time is up, and has read it once.
//@ outcomes: 1,-11
//@ native
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void *set(void *unused) {
    (void)unused;
    struct itimerspec when = {.it_value = {0, 1000000}};
    timerfd_settime(timer, 0, &when, NULL);
    return NULL;
}

int main(void) {
    pthread_t thread;
    uint64_t times = 0;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&thread, NULL, set, NULL);
    read(timer, &times, sizeof times);
    printf("%d", (int)times);
    pthread_join(thread, NULL);
    fcntl(timer, F_SETFL, O_NONBLOCK);
    printf(",%d\n", read(timer, &times, sizeof times) < 0 ? -errno : (int)times);
    return 0;
}
