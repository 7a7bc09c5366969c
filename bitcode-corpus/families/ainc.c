// N threads add to one counter and do not look at what it was.
//@ executions: 1
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 4
#endif

static atomic_int x;

static void *add(void *argument) {
    ADD(x, 1);
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int number = 0; number < N; number++) START(threads[number], add, number);
    for (int number = 0; number < N; number++) JOIN(threads[number]);
    assert(LOAD(x) == N);
    return 0;
}
