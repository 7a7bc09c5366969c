// In each round two threads are to set a flag that main takes back while it is alone.
//@ outcomes: 2
//@ executions[sc]: 4
//@ executions[tso]: 4
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag, winners;

static void *seize(void *unused) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&flag, &expected, 1)) atomic_fetch_add(&winners, 1);
    return unused;
}

int main(void) {
    for (int round = 0; round < 2; round++) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, seize, NULL);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        atomic_store(&flag, 0);
    }
    printf("%d\n", atomic_load(&winners));
}
