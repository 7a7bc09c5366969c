// What a section touches depends on what it finds: the same section commutes with another, or does not.
//@ outcomes: 00 01 11
#include <pthread.h>
#include <stdio.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int open, value, seen;

static void *open_then_set(void *unused) {
    __VERIFIER_atomic_begin();
    open = 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    value = 1;
    __VERIFIER_atomic_end();
    return unused;
}

static void *look(void *unused) {
    int was_open, found = 0;
    __VERIFIER_atomic_begin();
    was_open = open;
    if (was_open)
        found = value;
    __VERIFIER_atomic_end();
    seen = 10 * found + was_open;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, open_then_set, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%02d\n", seen);
    return 0;
}
