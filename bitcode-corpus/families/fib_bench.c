// Two threads add each other's number to their own, N times, while the main thread looks at both (SV-COMP's fib_bench):
// the numbers stay below a Fibonacci number.
//@ executions[sc]: 140
//@ executions[tso,pso]: 153
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 2
#endif

static atomic_int i = 1, j = 1;

static void *first(void *argument) {
    for (int round = 0; round < N; round++) STORE(i, LOAD(i) + LOAD(j));
    return argument;
}

static void *second(void *argument) {
    for (int round = 0; round < N; round++) STORE(j, LOAD(j) + LOAD(i));
    return argument;
}

int main(void) {
    pthread_t one, other;
    START(one, first, 0);
    START(other, second, 1);
    assert(LOAD(i) <= 144 && LOAD(j) <= 144);
    JOIN(one);
    JOIN(other);
    return 0;
}
