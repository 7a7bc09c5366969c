// A bounded queue of several producers and consumers: one word counts the reads and writes begun, two more those
// done. It holds HELD elements at the start; N threads write one each, N read until it is empty, or N times. (With N = 2 that is
// the program with 236 complete executions in the literature, of which GenMC needs 602 more that are blocked.)
//@ executions: 2
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 1
#endif
#ifndef HELD
#define HELD 1
#endif
#define SIZE 4

static int cells[SIZE];
static atomic_uint begun, reads, writes;

#define BEGIN(expected, value)                                                                          \
    atomic_compare_exchange_strong_explicit(&begun, &(expected), (value), memory_order_acq_rel,         \
                                            memory_order_acquire)

static void put(int value) {
    unsigned now = atomic_load_explicit(&begun, memory_order_acquire), read, written;
    do {
        read = now >> 16, written = now & 0xFFFF;
        if (written == read + SIZE) return;
    } while (!BEGIN(now, read << 16 | (written + 1)));
    while (atomic_load_explicit(&reads, memory_order_acquire) != read) {}
    cells[written % SIZE] = value;
    atomic_fetch_add_explicit(&writes, 1, memory_order_release);
}

static int take(int *value) {
    unsigned now = atomic_load_explicit(&begun, memory_order_acquire), read, written;
    do {
        read = now >> 16, written = now & 0xFFFF;
        if (written == read) return 0;
    } while (!BEGIN(now, now + (1u << 16)));
    while (atomic_load_explicit(&writes, memory_order_acquire) != written) {}
    *value = cells[read % SIZE];
    atomic_fetch_add_explicit(&reads, 1, memory_order_release);
    return 1;
}

static void *producer(void *argument) {
    put(NUMBER(argument));
    return argument;
}

static void *consumer(void *argument) {
    int value;
    for (int number = 0; number < N && take(&value); number++) {}
    return argument;
}

int main(void) {
    pthread_t producers[N], consumers[N];
    for (int number = 0; number < HELD; number++) put(17);
    for (int number = 0; number < N; number++) START(producers[number], producer, number + 1);
    for (int number = 0; number < N; number++) START(consumers[number], consumer, number);
    for (int number = 0; number < N; number++) JOIN(producers[number]);
    for (int number = 0; number < N; number++) JOIN(consumers[number]);
    return 0;
}
