// A ticket lock taken once by each of N threads.
//@ executions: 2
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 2
#endif

static atomic_int next, owner;
static int shared;

static void *enter(void *argument) {
    int ticket = ADD(next, 1);
    while (atomic_load_explicit(&owner, memory_order_acquire) != ticket) {}
    shared = NUMBER(argument);
    assert(shared == NUMBER(argument));
    atomic_store_explicit(&owner, ticket + 1, memory_order_release);
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int number = 0; number < N; number++) START(threads[number], enter, number);
    for (int number = 0; number < N; number++) JOIN(threads[number]);
    return 0;
}
