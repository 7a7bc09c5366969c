// W threads write, N read: each read has W + 1 sources, and which write comes first matters to nobody.
//@ executions: 81
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 4
#endif
#ifndef W
#define W 2
#endif

static atomic_int x;

static void *write_it(void *argument) {
    STORE(x, NUMBER(argument) + 1);
    return argument;
}

static void *read_it(void *argument) {
    (void)LOAD(x);
    return argument;
}

int main(void) {
    pthread_t threads[N + W];
    for (int number = 0; number < W; number++) START(threads[number], write_it, number);
    for (int number = 0; number < N; number++) START(threads[W + number], read_it, number);
    for (int number = 0; number < N + W; number++) JOIN(threads[number]);
    return 0;
}
