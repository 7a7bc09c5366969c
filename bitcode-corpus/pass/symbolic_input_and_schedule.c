// Inputs and schedules multiply: which thread is last, and whether the input is even.
//@ outcomes: even1 even2 odd1 odd2
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

unsigned __VERIFIER_nondet_uint(void);

static atomic_int last;

static void *arrive(void *argument) {
    atomic_store(&last, (int)(intptr_t)argument);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    unsigned input = __VERIFIER_nondet_uint();
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, arrive, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int winner = atomic_load(&last);
    printf("%s%d\n", input % 2 == 0 ? "even" : "odd", winner);
    return 0;
}
