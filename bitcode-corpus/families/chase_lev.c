// Chase and Lev's work-stealing deque (SPAA 2005), fixed in size: the owner pushes N and pops N, thieves steal once.
//@ executions: 8
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 1
#endif
#ifndef THIEVES
#define THIEVES 1
#endif
#define SIZE 8

static atomic_int bottom, top, cells[SIZE], taken[N + 1];

static void take(int task) { assert(ADD(taken[task], 1) == 0); }

static void push(int task) {
    int at = LOAD(bottom);
    STORE(cells[at % SIZE], task);
    atomic_store_explicit(&bottom, at + 1, memory_order_release);
}

static void pop(void) {
    int at = LOAD(bottom) - 1;
    STORE(bottom, at);
    atomic_thread_fence(memory_order_seq_cst);
    int first = LOAD(top);
    if (first > at) {
        STORE(bottom, at + 1);
        return;
    }
    int task = LOAD(cells[at % SIZE]);
    if (first == at) {
        int won = atomic_compare_exchange_strong(&top, &first, first + 1);
        STORE(bottom, at + 1);
        if (!won) return;
    }
    take(task);
}

static void *owner(void *argument) {
    for (int task = 1; task <= N; task++) push(task);
    for (int task = 1; task <= N; task++) pop();
    return argument;
}

static void *thief(void *argument) {
    int first = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    if (first < atomic_load_explicit(&bottom, memory_order_acquire)) {
        int task = LOAD(cells[first % SIZE]);
        if (atomic_compare_exchange_strong(&top, &first, first + 1)) take(task);
    }
    return argument;
}

int main(void) {
    pthread_t own, thieves[THIEVES];
    START(own, owner, 0);
    for (int number = 0; number < THIEVES; number++) START(thieves[number], thief, number);
    JOIN(own);
    for (int number = 0; number < THIEVES; number++) JOIN(thieves[number]);
    return 0;
}
