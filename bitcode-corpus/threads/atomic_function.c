// Functions that are one step by their names: a lock made of them, as programs of the software verification competition have it.
// What is assumed inside holds of the moment.
//@ outcomes: 2
//@ cflags: -fno-inline
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

void __VERIFIER_assume(int condition);

static int is_taken, inside, rounds;

void __VERIFIER_atomic_take(void) {
    __VERIFIER_assume(!is_taken);
    is_taken = 1;
}

int __VERIFIER_atomic_is_first(void) {
    if (rounds)
        return 0;
    return 1;
}

void __VERIFIER_atomic_give(void) {
    is_taken = 0;
}

static void *work(void *unused) {
    __VERIFIER_atomic_take();
    inside++;
    assert(inside == 1);
    int is_first = __VERIFIER_atomic_is_first();
    rounds++;
    assert(is_first == (rounds == 1));
    inside--;
    __VERIFIER_atomic_give();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, work, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    printf("%d\n", rounds);
    return 0;
}
