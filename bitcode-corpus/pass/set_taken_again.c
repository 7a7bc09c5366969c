// A set of descriptors that is closed and taken again: another thread adds to the first set, to none or to the
// second.
//@ outcomes: 0,0 -1,0 0,1
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

static int set, ends[2], added;

static void *add(void *unused) {
    struct epoll_event event = {.events = EPOLLIN};
    (void)unused;
    added = epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct epoll_event event;
    if (pipe(ends) < 0 || write(ends[1], "a", 1) != 1)
        return 1;
    set = epoll_create1(0);
    pthread_create(&thread, NULL, add, NULL);
    close(set);
    int again = epoll_create1(0);
    pthread_join(thread, NULL);
    printf("%d,%d\n", added, epoll_wait(again, &event, 1, 0));
    return 0;
}
