// Lamport's bakery for two customers, with bounded waiting.
//@ executions[sc]: 29
//@ blocked[sc]: 0

#include "family.h"

#ifndef N
#define N 2
#endif
#define CUSTOMERS 2

static atomic_int tickets[CUSTOMERS], choosing[CUSTOMERS], inside;

static int enter(int me) {
    int last = 0;
    STORE(choosing[me], 1);
    for (int other = 0; other < CUSTOMERS; other++) {
        int ticket = LOAD(tickets[other]);
        if (ticket > last) last = ticket;
    }
    STORE(tickets[me], last + 1);
    STORE(choosing[me], 0);
    for (int other = 0; other < CUSTOMERS; other++) {
        int may = 0;
        for (int attempt = 0; attempt < N && !may; attempt++) may = !LOAD(choosing[other]);
        if (!may) return 0;
        may = 0;
        for (int attempt = 0; attempt < N && !may; attempt++) {
            int theirs = LOAD(tickets[other]), mine = LOAD(tickets[me]);
            may = theirs == 0 || theirs > mine || (theirs == mine && other >= me);
        }
        if (!may) return 0;
    }
    return 1;
}

static void *shop(void *argument) {
    int me = NUMBER(argument);
    if (enter(me)) {
        assert(LOAD(inside) == 0); //~[tso,pso] ERROR: assertion failed
        STORE(inside, me);
        STORE(inside, 0);
        STORE(tickets[me], 0);
    }
    return argument;
}

int main(void) {
    pthread_t threads[CUSTOMERS];
    for (int number = 0; number < CUSTOMERS; number++) START(threads[number], shop, number);
    for (int number = 0; number < CUSTOMERS; number++) JOIN(threads[number]);
    return 0;
}
