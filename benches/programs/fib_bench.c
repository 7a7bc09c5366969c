/* Two threads that add each other's number to their own N times, and main, which looks at both meanwhile; relaxed
 * atomics. Under sequential consistency it has 19,605 inequivalent executions for N = 4. After the program of that name
 * in the literature on stateless model checking. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif
#define RELAXED memory_order_relaxed

static atomic_int i = 1, j = 1;

static void add(atomic_int *mine, atomic_int *other) {
    int sum = atomic_load_explicit(mine, RELAXED) + atomic_load_explicit(other, RELAXED);
    atomic_store_explicit(mine, sum, RELAXED);
}

static void *add_to_i(void *unused) {
    for (int turn = 0; turn < N; turn++) add(&i, &j);
    return unused;
}

static void *add_to_j(void *unused) {
    for (int turn = 0; turn < N; turn++) add(&j, &i);
    return unused;
}

/* The most a number can become: additions in turns make Fibonacci numbers. */
static int most(void) {
    int before = 0, number = 1;
    for (int turn = 0; turn < 2 * N + 1; turn++) {
        int next = before + number;
        before = number;
        number = next;
    }
    return number;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add_to_i, NULL);
    pthread_create(&second, NULL, add_to_j, NULL);
    int seen_i = atomic_load_explicit(&i, RELAXED), seen_j = atomic_load_explicit(&j, RELAXED);
    assert(seen_i <= most() && seen_j <= most());
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
