// Threads enter messages into a hash table with open addressing (Flanagan and Godefroid, POPL 2005). Only from the
// twelfth thread on do two of them meet in the table.
//@ executions: 8
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 12
#endif
#define SIZE 128
#define MESSAGES 4

static atomic_int table[SIZE];

static void *enter(void *argument) {
    int number = NUMBER(argument);
    for (int message = 1; message <= MESSAGES; message++) {
        int word = message * 11 + number;
        int slot = word * 7 % SIZE;
        for (;;) {
            int empty = 0;
            if (CAS(table[slot], empty, word)) break;
            slot = (slot + 1) % SIZE;
        }
    }
    return argument;
}

int main(void) {
    pthread_t threads[N];
    for (int number = 0; number < N; number++) START(threads[number], enter, number);
    for (int number = 0; number < N; number++) JOIN(threads[number]);
    return 0;
}
