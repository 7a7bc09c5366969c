// Linux's old reader-writer spin lock: readers take one off a bias, a writer takes all of it. R readers, W writers, and B
// threads that read and then write.
//@ executions: 14
//@ blocked: 0

#include "family.h"

#ifndef R
#define R 0
#endif
#ifndef W
#define W 0
#endif
#ifndef B
#define B 2
#endif
#define BIAS 0x100000

static atomic_int lock = BIAS;
static int shared;

static int take(int share) { return atomic_fetch_sub_explicit(&lock, share, memory_order_acquire); }

static void look(void) {
    int seen;
    while (take(1) <= 0) {
        ADD(lock, 1);
        while (LOAD(lock) <= 0) {}
    }
    seen = shared;
    assert(seen == 0 || seen == 42);
    atomic_fetch_add_explicit(&lock, 1, memory_order_release);
}

static void change(void) {
    while (take(BIAS) != BIAS) {
        ADD(lock, BIAS);
        while (LOAD(lock) != BIAS) {}
    }
    shared = 42;
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_release);
}

static void *reader(void *argument) {
    look();
    return argument;
}

static void *writer(void *argument) {
    change();
    return argument;
}

static void *both(void *argument) {
    look();
    change();
    return argument;
}

int main(void) {
    pthread_t threads[R + W + B];
    for (int number = 0; number < R; number++) START(threads[number], reader, number);
    for (int number = 0; number < W; number++) START(threads[R + number], writer, number);
    for (int number = 0; number < B; number++) START(threads[R + W + number], both, number);
    for (int number = 0; number < R + W + B; number++) JOIN(threads[number]);
    return 0;
}
