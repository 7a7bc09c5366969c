// N agents sell seats without synchronising, until one sees that all are sold (after the example of Huang, PLDI 2015).
//@ executions: 27
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 3
#endif
#define SEATS (N - 1)

static atomic_int sold, closed;

static void *sell(void *argument) {
    if (!LOAD(closed)) {
        int now = LOAD(sold);
        if (now >= SEATS)
            STORE(closed, 1);
        else
            STORE(sold, now + 1);
    }
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int number = 0; number < N; number++) START(threads[number], sell, number);
    for (int number = 0; number < N; number++) JOIN(threads[number]);
    (void)LOAD(sold);
    return 0;
}
