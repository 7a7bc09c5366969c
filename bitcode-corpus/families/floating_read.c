// N threads write one place while the thread that starts them reads it once.
//@ executions: 7
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 6
#endif

static atomic_int x;

static void *write_it(void *argument) {
    STORE(x, NUMBER(argument));
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int number = 0; number < N; number++) START(threads[number], write_it, number + 1);
    assert(LOAD(x) <= N);
    for (int number = 0; number < N; number++) JOIN(threads[number]);
    return 0;
}
