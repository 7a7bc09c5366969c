// Michael and Scott's queue (PODC 1996): W threads put, R take, each once. A link is a node's number and a count.
//@ executions: 26
//@ blocked: 9

#include "family.h"

#ifndef W
#define W 2
#endif
#ifndef R
#define R 1
#endif

typedef struct {
    _Atomic uint64_t next;
    int value;
} Node;

static Node nodes[W + 2];
static _Atomic uint64_t head = 1, tail = 1;

#define MAKE(node, count) ((uint64_t)(count) << 32 | (uint32_t)(node))
#define NODE(link) ((uint32_t)(link))
#define COUNT(link) ((uint32_t)((link) >> 32))
#define GET(place) atomic_load_explicit(&(place), memory_order_acquire)
#define SWAP(place, expected, value)                                                                    \
    atomic_compare_exchange_strong_explicit(&(place), &(expected), (value), memory_order_release,       \
                                            memory_order_relaxed)

static void *put(void *argument) {
    int me = NUMBER(argument) + 2;
    uint64_t last;
    nodes[me].value = me;
    for (;;) {
        last = GET(tail);
        uint64_t next = GET(nodes[NODE(last)].next);
        if (last != LOAD(tail)) continue;
        if (NODE(next) == 0) {
            if (SWAP(nodes[NODE(last)].next, next, MAKE(me, COUNT(next) + 1))) break;
        } else {
            SWAP(tail, last, MAKE(NODE(next), COUNT(last) + 1));
        }
    }
    SWAP(tail, last, MAKE(me, COUNT(last) + 1));
    return argument;
}

static void *take(void *argument) {
    for (;;) {
        uint64_t first = GET(head), last = GET(tail), next = GET(nodes[NODE(first)].next);
        if (first != LOAD(head)) continue;
        if (NODE(first) != NODE(last)) {
            int value = nodes[NODE(next)].value;
            if (SWAP(head, first, MAKE(NODE(next), COUNT(first) + 1))) {
                assert(value == (int)NODE(next));
                return argument;
            }
        } else if (NODE(next) == 0) {
            return 0;
        } else {
            SWAP(tail, last, MAKE(NODE(next), COUNT(last) + 1));
        }
    }
}

int main(void) {
    pthread_t writers[W], readers[R];
    for (int number = 0; number < W; number++) START(writers[number], put, number);
    for (int number = 0; number < R; number++) START(readers[number], take, number);
    for (int number = 0; number < W; number++) JOIN(writers[number]);
    for (int number = 0; number < R; number++) JOIN(readers[number]);
    return 0;
}
