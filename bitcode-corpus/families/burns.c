// Burns and Lynch's mutual exclusion with one bit a thread, for two threads and with bounded waiting.
//@ executions[sc]: 22
//@ blocked[sc]: 0

#include "family.h"

#ifndef N
#define N 2
#endif

static atomic_int flags[2], inside;

static int is_down(int number) {
    for (int attempt = 0; attempt < N; attempt++)
        if (LOAD(flags[number]) == 0) return 1;
    return 0;
}

static void *enter(void *argument) {
    int me = NUMBER(argument), in = 0;
    for (int round = 0; round < N && !in; round++) {
        STORE(flags[me], 0);
        if (me == 1 && !is_down(0)) return 0;
        STORE(flags[me], 1);
        in = me == 0 || is_down(0);
    }
    if (!in || (me == 0 && !is_down(1))) return 0;
    STORE(inside, me);
    assert(LOAD(inside) == me); //~[tso,pso] ERROR: assertion failed
    STORE(flags[me], 0);
    return argument;
}

int main(void) {
    pthread_t one, other;
    START(one, enter, 0);
    START(other, enter, 1);
    JOIN(one);
    JOIN(other);
    return 0;
}
