// N threads write one place, one reads it: the order of the writes that it does not read is nobody's business.
//@ executions: 5
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 4
#endif

static atomic_int x;

static void *write_it(void *argument) {
    STORE(x, NUMBER(argument));
    return argument;
}

static void *read_it(void *argument) {
    (void)LOAD(x);
    return argument;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int number = 1; number <= N; number++) START(threads[number], write_it, number);
    START(threads[0], read_it, 0);
    for (int number = 0; number <= N; number++) JOIN(threads[number]);
    return 0;
}
