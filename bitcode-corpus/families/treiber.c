// Treiber's stack (1986): N threads push, N pop, each once. A top is a node's number and a count against reuse.
//@ executions: 80
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 2
#endif

typedef struct {
    _Atomic uint64_t next;
    int value;
} Node;

static Node nodes[N + 1];
static _Atomic uint64_t top;

#define MAKE(node, count) ((uint64_t)(count) << 32 | (uint32_t)(node))
#define NODE(top) ((uint32_t)(top))
#define COUNT(top) ((uint32_t)((top) >> 32))

static void *push(void *argument) {
    int me = NUMBER(argument);
    nodes[me].value = me;
    for (;;) {
        uint64_t old = atomic_load_explicit(&top, memory_order_acquire);
        STORE(nodes[me].next, old);
        if (atomic_compare_exchange_strong_explicit(&top, &old, MAKE(me, COUNT(old) + 1), memory_order_release,
                                                    memory_order_relaxed))
            return argument;
    }
}

static void *pop(void *argument) {
    for (;;) {
        uint64_t old = atomic_load_explicit(&top, memory_order_acquire);
        if (NODE(old) == 0) return argument;
        uint64_t next = LOAD(nodes[NODE(old)].next);
        if (atomic_compare_exchange_strong_explicit(&top, &old, MAKE(NODE(next), COUNT(old) + 1),
                                                    memory_order_release, memory_order_relaxed)) {
            assert(nodes[NODE(old)].value == (int)NODE(old));
            return argument;
        }
    }
}

int main(void) {
    pthread_t pushers[N], poppers[N];
    for (int number = 0; number < N; number++) START(pushers[number], push, number + 1);
    for (int number = 0; number < N; number++) START(poppers[number], pop, number);
    for (int number = 0; number < N; number++) JOIN(pushers[number]);
    for (int number = 0; number < N; number++) JOIN(poppers[number]);
    return 0;
}
