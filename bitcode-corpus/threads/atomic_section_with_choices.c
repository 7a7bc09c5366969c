// A section forks on its inputs, and each way touches something else: all that others do in between is found on each.
//@ outcomes: 0 1 2
#include <pthread.h>
#include <stdio.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);

static int first, second, seen;

static void *choose(void *unused) {
    __VERIFIER_atomic_begin();
    if (__VERIFIER_nondet_bool())
        first = 1;
    else
        second = 2;
    __VERIFIER_atomic_end();
    return unused;
}

static void *look(void *unused) {
    __VERIFIER_atomic_begin();
    seen = first + second;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, choose, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d\n", seen);
    return 0;
}
