// N places, each written by two threads and read by none: nothing of it can be seen.
//@ executions: 1
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 4
#endif

static atomic_int cells[N];

static void *write_it(void *argument) {
    int number = NUMBER(argument);
    STORE(cells[number / 2], number % 2 + 1);
    return argument;
}

int main(void) {
    pthread_t threads[2 * N];
    for (int number = 0; number < 2 * N; number++) START(threads[number], write_it, number);
    for (int number = 0; number < 2 * N; number++) JOIN(threads[number]);
    return 0;
}
