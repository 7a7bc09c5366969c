// A signal comes while its thread looks at descriptors and does not wait. The look fails, or it came before or after that.
// A look into an epoll set does not fail.
//@ outcomes: -1,0 0,0
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

static void handle(int signal) {
    (void)signal;
}

static void *interrupt(void *thread) {
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return thread;
}

int main(void) {
    pthread_t self = pthread_self(), thread;
    struct epoll_event event;
    int set = epoll_create1(0);
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, interrupt, &self);
    int polled = poll(NULL, 0, 0);
    int looked = epoll_wait(set, &event, 1, 0);
    pthread_join(thread, NULL);
    printf("%d,%d", polled, looked);
    return 0;
}
