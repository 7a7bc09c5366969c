// A thread adds, and two that it creates exchange what is there: both know the sum.
//@ outcomes: 1
//@ executions[sc]: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int sum = 1;
static atomic_int winners;

static void *seize(void *unused) {
    int expected = 2;
    if (atomic_compare_exchange_strong(&sum, &expected, 3)) atomic_fetch_add(&winners, 1);
    return unused;
}

static void *add(void *unused) {
    pthread_t first, second;
    atomic_fetch_add(&sum, 1);
    pthread_create(&first, NULL, seize, NULL);
    pthread_create(&second, NULL, seize, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return unused;
}

int main(void) {
    pthread_t adder;
    pthread_create(&adder, NULL, add, NULL);
    pthread_join(adder, NULL);
    printf("%d\n", atomic_load(&winners));
}
