// A thread waits at an empty set. Another adds a counter that a third adds to: in each order the wait ends.
//@ outcomes: 1
//@ native
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int set, counter;

static void *add(void *unused) {
    (void)unused;
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    epoll_ctl(set, EPOLL_CTL_ADD, counter, &event);
    return NULL;
}

static void *count(void *unused) {
    (void)unused;
    uint64_t one = 1;
    write(counter, &one, 8);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    set = epoll_create1(0);
    counter = eventfd(0, 0);
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, count, NULL);
    struct epoll_event event;
    printf("%d", epoll_wait(set, &event, 1, -1));
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
