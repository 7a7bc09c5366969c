// A structure is passed by value while another thread writes one field after the other.
#include <assert.h>
#include <pthread.h>

struct interval {
    long from, to, step;
};

static struct interval interval;

__attribute__((noinline)) int is_proper(struct interval it) { return it.from <= it.to; }

static void *move(void *unused) {
    interval.from = 5;
    interval.to = 9;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, move, NULL);
    assert(is_proper(interval)); //~ ERROR: assertion
    pthread_join(thread, NULL);
    return 0;
}
