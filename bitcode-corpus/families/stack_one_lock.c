// One thread pushes N times, another pops N times, all under one lock.
//@ executions: 20
//@ blocked: 0

#include "family.h"

#ifndef N
#define N 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cells[N], top;

static void *push(void *argument) {
    for (int round = 0; round < N; round++) {
        pthread_mutex_lock(&lock);
        assert(top < N);
        cells[top++] = round;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *pop(void *argument) {
    for (int round = 0; round < N; round++) {
        pthread_mutex_lock(&lock);
        if (top > 0) assert(cells[--top] < N);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t one, other;
    START(one, push, 0);
    START(other, pop, 1);
    JOIN(one);
    JOIN(other);
    return 0;
}
