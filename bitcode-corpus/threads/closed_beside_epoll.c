// A watched descriptor that is closed beside a look at the set is reported, or not.
//@ outcomes: 0 1
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

static int set, reported;

static void *look(void *unused) {
    struct epoll_event event;
    (void)unused;
    reported = epoll_wait(set, &event, 1, 0);
    return NULL;
}

int main(void) {
    int ends[2];
    pthread_t thread;
    if (pipe(ends) < 0 || write(ends[1], "a", 1) != 1)
        return 1;
    set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    pthread_create(&thread, NULL, look, NULL);
    close(ends[0]);
    pthread_join(thread, NULL);
    printf("%d\n", reported);
    return 0;
}
