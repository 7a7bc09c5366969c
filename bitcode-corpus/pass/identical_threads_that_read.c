// Three threads read a number and write it back with one more. Each reads what was there at first or what one of the others
// wrote, in all ways but cycles; up to exchanges of threads there are fewer of them, and the sums are the same.
//@ flags: --symmetry
//@ executions: 12
//@ outcomes: 1 2 3
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int number;

static void *run(void *unused) {
    int found = atomic_load_explicit(&number, memory_order_relaxed);
    atomic_store_explicit(&number, found + 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", number);
    return 0;
}
