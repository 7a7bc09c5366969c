// A parallel sort, after swarm of CLAP's Table 1: each thread sorts its part, the parts are merged behind a barrier.
//
// The bug: threads tell that they are done through a counter without a lock, and the first one merges as soon as it
// has seen all of them, or has waited for long.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { PART = 64, COUNT = 2 * PART };

static int numbers[COUNT], merged[COUNT];
static long inversions;
static volatile int done;

static void sort(int *from) {
    int sorted[PART];
    for (int i = 0; i < PART; i++) {
        int value = from[i], at = i;
        while (at > 0 && sorted[at - 1] > value) {
            sorted[at] = sorted[at - 1];
            at--;
        }
        sorted[at] = value;
    }
    memcpy(from, sorted, sizeof sorted);
}

static void merge(void) {
    int left = 0, right = PART, to = 0;
    while (left < PART && right < COUNT) {
        if (numbers[left] <= numbers[right]) {
            merged[to++] = numbers[left++];
        } else {
            merged[to++] = numbers[right++];
            inversions += PART - left;
        }
    }
    while (left < PART)
        merged[to++] = numbers[left++];
    while (right < COUNT)
        merged[to++] = numbers[right++];
}

static void *work(void *argument) {
    int me = (int)(long)argument;
    sort(numbers + me * PART);
    done = done + 1;
    if (me == 0) {
        for (int patience = 0; patience < 3 && done < 2; patience++)
            sched_yield();
        merge();
    }
    return NULL;
}

int main(void) {
    unsigned state = 1;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (int)((state = state * 1103515245u + 12345u) >> 8) % 100000;
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < COUNT; i++)
        assert(merged[i - 1] <= merged[i]);
    return 0;
}
