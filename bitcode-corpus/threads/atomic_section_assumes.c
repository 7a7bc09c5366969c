// A section that assumes what another thread has yet to do waits for it, though it is no wait.
//@ outcomes: 1
#include <pthread.h>
#include <stdio.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);

static int ready, taken;

static void *set(void *unused) {
    __VERIFIER_atomic_begin();
    ready = 1;
    __VERIFIER_atomic_end();
    return unused;
}

static void *take(void *unused) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(ready);
    taken = ready;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d\n", taken);
    return 0;
}
