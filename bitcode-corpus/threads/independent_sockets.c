// Each thread has sockets, a counter and a set to wait at of its own.
//@ flags: --independent-descriptors
//@ executions[sc,tso]: 1
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void *use(void *unused) {
    (void)unused;
    int ends[2], set = epoll_create1(0), counter = eventfd(0, 0);
    struct epoll_event event = {.events = EPOLLIN};
    char byte = 0;
    uint64_t one = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    epoll_ctl(set, EPOLL_CTL_ADD, counter, &event);
    send(ends[1], "x", 1, 0);
    write(counter, &one, sizeof one);
    if (epoll_wait(set, &event, 1, -1) != 1) abort();
    recv(ends[0], &byte, 1, 0);
    if (byte != 'x') abort();
    close(ends[0]);
    close(ends[1]);
    close(counter);
    close(set);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
