// One thread waits edge-triggered and reads one byte each time; another writes two. It sees two edges, or one that
// both writes made: then a byte is left that no edge reports.
//@ outcomes: 1:1 2:0
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2];

static void *feed(void *unused) {
    (void)unused;
    write(ends[1], "a", 1);
    write(ends[1], "b", 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    int set = epoll_create1(0), edges = 0, read_bytes = 0;
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    pthread_create(&thread, NULL, feed, NULL);
    char byte;
    epoll_wait(set, &event, 1, -1);
    edges++;
    read_bytes += read(ends[0], &byte, 1);
    pthread_join(thread, NULL);
    while (epoll_wait(set, &event, 1, 0) == 1) {
        edges++;
        read_bytes += read(ends[0], &byte, 1);
    }
    printf("%d:%d", edges, 2 - read_bytes);
    return 0;
}
