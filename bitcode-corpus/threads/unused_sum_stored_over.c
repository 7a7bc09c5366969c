// A thread that no other joins adds to a number without using what it finds, and then stores over it. Such
// additions commute with each other, but a read between the addition and the store sees the sum.
//@ executions[sc]: 3
//@ outcomes: 1 2 3
#include <pthread.h>
#include <stdio.h>

static int number;

static void *add(void *unused) {
    __atomic_fetch_add(&number, 2, __ATOMIC_ACQUIRE);
    __atomic_store_n(&number, 2, __ATOMIC_RELAXED);
    return unused;
}

static void *begin(void *unused) {
    pthread_t adder;
    __atomic_store_n(&number, 1, __ATOMIC_RELAXED);
    pthread_create(&adder, NULL, add, NULL);
    pthread_detach(adder);
    return unused;
}

int main(void) {
    pthread_t beginner;
    pthread_create(&beginner, NULL, begin, NULL);
    pthread_join(beginner, NULL);
    printf("%d\n", __atomic_load_n(&number, __ATOMIC_RELAXED));
    return 0;
}
