// A parallel sort, after swarm of CLAP's Table 1: each thread sorts its part, the parts are merged behind a barrier.
//
// The bug: threads tell that they are done through a counter without a lock, and the first one merges as soon as it
// has seen all of them, or has waited for long.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, PART = 300, COUNT = THREADS * PART };

static int numbers[COUNT], merged[COUNT];
static volatile int done;

static int compare(const void *one, const void *other) {
    int a = *(const int *)one, b = *(const int *)other;
    return (a > b) - (a < b);
}

static void sort(int *from, int count) {
    for (int i = 1; i < count; i++) {
        int value = from[i], at = i;
        while (at > 0 && compare(&from[at - 1], &value) > 0) {
            from[at] = from[at - 1];
            at--;
        }
        from[at] = value;
    }
}

static void merge(void) {
    int at[THREADS];
    for (int i = 0; i < THREADS; i++)
        at[i] = i * PART;
    for (int to = 0; to < COUNT; to++) {
        int best = -1;
        for (int i = 0; i < THREADS; i++)
            if (at[i] < (i + 1) * PART && (best < 0 || numbers[at[i]] < numbers[at[best]])) best = i;
        merged[to] = numbers[at[best]++];
    }
}

static void *work(void *argument) {
    int me = (int)(long)argument;
    sort(numbers + me * PART, PART);
    done = done + 1;
    if (me == 0) {
        for (int patience = 0; patience < 20 && done < THREADS; patience++)
            sched_yield();
        merge();
    }
    return NULL;
}

int main(void) {
    unsigned state = 1;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (int)((state = state * 1103515245u + 12345u) >> 8) % 100000;
    pthread_t threads[THREADS];
    for (long i = THREADS - 1; i >= 0; i--)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < COUNT; i++)
        assert(merged[i - 1] <= merged[i]);
    return 0;
}
