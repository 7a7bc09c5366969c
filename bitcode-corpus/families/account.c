// N deposits and a withdrawal that forget to synchronise (after the example of Huang, PLDI 2015).
//@ executions: 27
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 2
#endif

static atomic_int amount = 1000;

static void *change(void *argument) {
    STORE(amount, LOAD(amount) + NUMBER(argument));
    return argument;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int number = 0; number < N; number++) START(threads[number], change, 100);
    START(threads[N], change, -10);
    for (int number = 0; number <= N; number++) JOIN(threads[number]);
    (void)LOAD(amount);
    return 0;
}
