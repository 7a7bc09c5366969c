// poll, select, epoll and eventfd wait until another thread has something for them; ends of pipes and pairs show.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], pair[2], counter;

static void *feed(void *step) {
    uint64_t five = 5;
    switch (*(int *)step) {
    case 0: write(ends[1], "x", 1); break;
    case 1: write(pair[1], "yy", 2); break;
    case 2: write(counter, &five, 8); break;
    default: close(ends[1]);
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    int step;
    char bytes[8];
    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    counter = eventfd(0, 0);

    pthread_create(&thread, NULL, feed, (step = 0, &step));
    struct pollfd files[2] = {{ends[0], POLLIN, 0}, {-1, POLLIN, 0}};
    printf("%d %d\n", poll(files, 2, -1), files[0].revents);
    printf("%zd\n", read(ends[0], bytes, 8));
    pthread_join(thread, NULL);

    pthread_create(&thread, NULL, feed, (step = 1, &step));
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pair[0], &set);
    printf("%d %d\n", select(pair[0] + 1, &set, NULL, NULL, NULL), FD_ISSET(pair[0], &set) != 0);
    pthread_join(thread, NULL);
    printf("%zd\n", read(pair[0], bytes, 8));

    int watch = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 77}, found[4];
    printf("%d ", epoll_ctl(watch, EPOLL_CTL_ADD, counter, &event));
    event.data.u64 = 78;
    printf("%d ", epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &event));
    printf("%d %d\n", epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &event), errno == EEXIST);
    printf("%d\n", epoll_wait(watch, found, 4, 0));
    pthread_create(&thread, NULL, feed, (step = 2, &step));
    printf("%d %d\n", epoll_wait(watch, found, 4, -1), (int)found[0].data.u64);
    pthread_join(thread, NULL);
    uint64_t value;
    printf("%zd ", read(counter, &value, 8));
    printf("%d\n", (int)value);

    pthread_create(&thread, NULL, feed, (step = 3, &step));
    printf("%d ", epoll_wait(watch, found, 4, -1));
    printf("%d %x\n", (int)found[0].data.u64, found[0].events);
    pthread_join(thread, NULL);
    printf("%d %x\n", poll(files, 1, -1), files[0].revents);
    close(pair[1]);
    files[0].fd = pair[0];
    files[0].events = POLLIN | POLLOUT;
    printf("%d %x %zd\n", poll(files, 1, 0), files[0].revents, read(pair[0], bytes, 8));
    return 0;
}
