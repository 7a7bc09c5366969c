// N threads compare-and-swap one place, then write it.
//@ executions: 24
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *swap_and_write(void *argument) {
    int zero = 0;
    CAS(x, zero, 1);
    STORE(x, NUMBER(argument) + 3);
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int number = 0; number < N; number++) START(threads[number], swap_and_write, number);
    for (int number = 0; number < N; number++) JOIN(threads[number]);
    return 0;
}
