// One thread writes, N read: each read sees the write or does not.
//@ executions: 32
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 5
#endif

static atomic_int x;

static void *write_it(void *argument) {
    STORE(x, 42);
    return argument;
}

static void *read_it(void *argument) {
    (void)LOAD(x);
    return argument;
}

int main(void) {
    pthread_t threads[N + 1];
    START(threads[0], write_it, 0);
    for (int number = 1; number <= N; number++) START(threads[number], read_it, number);
    for (int number = 0; number <= N; number++) JOIN(threads[number]);
    return 0;
}
