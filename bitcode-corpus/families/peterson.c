// Peterson's mutual exclusion with bounded waiting.
//@ executions[sc]: 25
//@ blocked[sc]: 0

#include "family.h"

#ifndef N
#define N 1
#endif
#define TRIES 2

static atomic_int wants[2], turn, inside;

static void *enter(void *argument) {
    int me = NUMBER(argument), you = 1 - me;
    for (int round = 0; round < N; round++) {
        STORE(wants[me], 1);
        STORE(turn, you);
        int in = 0;
        for (int attempt = 0; attempt < TRIES; attempt++) {
            int other = LOAD(wants[you]), whose = LOAD(turn);
            if (!other || whose == me) {
                in = 1;
                break;
            }
        }
        if (!in) return 0;
        STORE(inside, me + 1);
        assert(LOAD(inside) == me + 1); //~[tso,pso] ERROR: assertion failed
        STORE(wants[me], 0);
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
