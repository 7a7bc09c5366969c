// Every thread marks the cell that an index names while the main thread moves it on (SV-COMP's sigma).
//@ executions: 24
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 4
#endif

static atomic_int cells[N], place = -1;

static void *mark(void *argument) {
    STORE(cells[LOAD(place)], 1);
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int number = 0; number < N; number++) {
        STORE(place, LOAD(place) + 1);
        START(threads[number], mark, number);
    }
    for (int number = 0; number < N; number++) JOIN(threads[number]);
    return 0;
}
