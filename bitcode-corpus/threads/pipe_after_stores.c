// What comes through a pipe comes after what its writer has stored before, under every model.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int data, ends[2], counter;

static void *produce(void *unused) {
    data = 1;
    uint64_t one = 1;
    write(counter, &one, sizeof one);
    data = 2;
    write(ends[1], "", 1);
    data = 3;
    close(ends[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    uint64_t count;
    char byte;
    counter = eventfd(0, 0);
    pipe(ends);
    pthread_create(&thread, NULL, produce, NULL);
    read(counter, &count, sizeof count);
    assert(data >= 1);
    read(ends[0], &byte, 1);
    assert(data >= 2);
    assert(read(ends[0], &byte, 1) == 0);
    assert(data == 3);
    pthread_join(thread, NULL);
    return 0;
}
