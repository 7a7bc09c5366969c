// A test-and-test-and-set lock taken once by each of N threads.
//@ executions: 4
//@ blocked: 2

#include "family.h"

#ifndef N
#define N 2
#endif

static atomic_int state;
static int shared;

static void *enter(void *argument) {
    do {
        while (LOAD(state) != 0) {}
    } while (atomic_exchange_explicit(&state, 1, memory_order_acquire));
    shared = NUMBER(argument);
    assert(shared == NUMBER(argument));
    atomic_store_explicit(&state, 0, memory_order_release);
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int number = 0; number < N; number++) START(threads[number], enter, number);
    for (int number = 0; number < N; number++) JOIN(threads[number]);
    return 0;
}
