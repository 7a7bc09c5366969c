// A thread asks in one atomic section after another whether a flag is set. While it is inside, the other waits; it gets its turn.
//@ outcomes: 5
#include <pthread.h>
#include <stdio.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int flag, value, seen;

static void *set(void *unused) {
    __VERIFIER_atomic_begin();
    value = 5;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    flag = 1;
    __VERIFIER_atomic_end();
    return unused;
}

static void *ask(void *unused) {
    for (int is_set = 0; !is_set;) {
        __VERIFIER_atomic_begin();
        is_set = flag;
        __VERIFIER_atomic_end();
    }
    seen = value;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, set, NULL);
    pthread_create(&threads[1], NULL, ask, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d\n", seen);
    return 0;
}
