// Linux's old reader-writer spin lock: readers take one off a bias, a writer takes all of it. R readers, W writers.
//@ executions: 6
//@ blocked: 2

#include "family.h"

#ifndef R
#define R 1
#endif
#ifndef W
#define W 1
#endif
#define BIAS 0x100000

static atomic_int lock = BIAS;
static int shared;

static int take(int share) { return atomic_fetch_sub_explicit(&lock, share, memory_order_acquire); }

static void *reader(void *argument) {
    int seen;
    while (take(1) <= 0) {
        ADD(lock, 1);
        while (LOAD(lock) <= 0) {}
    }
    seen = shared;
    assert(seen == 0 || seen == 42);
    atomic_fetch_add_explicit(&lock, 1, memory_order_release);
    return argument;
}

static void *writer(void *argument) {
    while (take(BIAS) != BIAS) {
        ADD(lock, BIAS);
        while (LOAD(lock) != BIAS) {}
    }
    shared = 42;
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_release);
    return argument;
}

int main(void) {
    pthread_t readers[R], writers[W];
    for (int number = 0; number < R; number++) START(readers[number], reader, number);
    for (int number = 0; number < W; number++) START(writers[number], writer, number);
    for (int number = 0; number < R; number++) JOIN(readers[number]);
    for (int number = 0; number < W; number++) JOIN(writers[number]);
    return 0;
}
