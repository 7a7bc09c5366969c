// Thread k of N sets cell k to one more than the cell before it; another looks for the last zero from above.
//@ executions: 28
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 4
#endif

static atomic_int cells[N + 1];

static void *raise(void *argument) {
    int number = NUMBER(argument);
    STORE(cells[number], LOAD(cells[number - 1]) + 1);
    return argument;
}

static void *scan(void *argument) {
    int at = N;
    while (LOAD(cells[at]) != 0) at--;
    return argument;
}

int main(void) {
    pthread_t threads[N + 1];
    START(threads[0], scan, 0);
    for (int number = 1; number <= N; number++) START(threads[number], raise, number);
    for (int number = 0; number <= N; number++) JOIN(threads[number]);
    return 0;
}
