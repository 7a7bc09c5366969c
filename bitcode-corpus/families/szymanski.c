// Szymanski's mutual exclusion for two threads, with bounded waiting.
//@ executions[sc]: 103
//@ blocked[sc]: 0

#include "family.h"

#ifndef N
#define N 1
#endif
#ifndef TRIES
#define TRIES 1
#endif

static atomic_int flags[2], inside;

static void *enter(void *argument) {
    int me = NUMBER(argument), you = 1 - me;
    for (int round = 0; round < N; round++) {
        int ok = 0;
        STORE(flags[me], 1);
        for (int attempt = 0; attempt < TRIES && !ok; attempt++) ok = LOAD(flags[you]) < 3;
        if (!ok) return 0;
        STORE(flags[me], 3);
        if (LOAD(flags[you]) == 1) {
            STORE(flags[me], 2);
            ok = 0;
            for (int attempt = 0; attempt < TRIES && !ok; attempt++) ok = LOAD(flags[you]) == 4;
            if (!ok) return 0;
        }
        STORE(flags[me], 4);
        ok = 0;
        for (int attempt = 0; attempt < TRIES && !ok; attempt++) ok = LOAD(flags[you]) < 2;
        if (!ok) return 0;
        STORE(inside, me + 1);
        assert(LOAD(inside) == me + 1); //~[tso,pso] ERROR: assertion failed
        ok = 0;
        for (int attempt = 0; attempt < TRIES && !ok; attempt++)
            ok = LOAD(flags[you]) < 2 || LOAD(flags[you]) > 3;
        if (!ok) return 0;
        STORE(flags[me], 0);
    }
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
