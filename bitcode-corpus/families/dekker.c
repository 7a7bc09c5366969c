// Dekker's mutual exclusion with bounded waiting. Stores that overtake nothing are part of it: TSO breaks it.
//@ executions[sc]: 19
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
        int in = 0;
        for (int attempt = 0; attempt < TRIES; attempt++) {
            if (!LOAD(wants[you])) {
                in = 1;
                break;
            }
            if (LOAD(turn) != me) {
                STORE(wants[me], 0);
                int mine = 0;
                for (int wait = 0; wait < TRIES && !mine; wait++) mine = LOAD(turn) == me;
                if (!mine) return 0;
                STORE(wants[me], 1);
            }
        }
        if (!in) return 0;
        STORE(inside, me + 1);
        assert(LOAD(inside) == me + 1); //~[tso,pso] ERROR: assertion failed
        STORE(turn, you);
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
