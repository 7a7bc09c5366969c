// ppoll and pselect with the thread's own signal mask, or none, are plain waits.
//@ outcomes: 1,1,0,0
//@ native
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    struct pollfd readable = { .fd = ends[0], .events = POLLIN };
    struct timespec no_time = { 0, 0 };
    fd_set set;
    int without = ppoll(&readable, 1, &no_time, &mask);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    int selected_without = pselect(ends[0] + 1, &set, NULL, NULL, &no_time, &mask);
    if (write(ends[1], "x", 1) != 1) return 1;
    int with = ppoll(&readable, 1, &no_time, NULL);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    int selected_with = pselect(ends[0] + 1, &set, NULL, NULL, &no_time, &mask);
    printf("%d,%d,%d,%d\n", with, selected_with, without, selected_without);
    return 0;
}
