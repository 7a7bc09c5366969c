// Two threads make two descriptors of a set ready. The one that was ready first is reported first, whatever its number.
//@ outcomes: ab ba
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counters[2];

static void *count(void *counter) {
    uint64_t one = 1;
    write(*(int *)counter, &one, sizeof one);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct epoll_event event = {.events = EPOLLIN}, found[2];
    int set = epoll_create1(0);
    for (int index = 0; index < 2; index++) {
        counters[index] = eventfd(0, 0);
        event.data.fd = counters[index];
        epoll_ctl(set, EPOLL_CTL_ADD, counters[index], &event);
        pthread_create(&threads[index], NULL, count, &counters[index]);
    }
    for (int index = 0; index < 2; index++)
        pthread_join(threads[index], NULL);
    int ready = epoll_wait(set, found, 2, -1);
    for (int index = 0; index < ready; index++)
        write(1, found[index].data.fd == counters[0] ? "a" : "b", 1);
    return 0;
}
