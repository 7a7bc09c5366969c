// What a thread does in an atomic section, others see as one step: who looks between the stores outside of a section finds both
// or neither if he looks at the later one first, who looks inside of one always does. Stores made inside are in memory at its end.
//@ outcomes: 0000 0001 0011 1100 1101 1111
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static volatile int first, second;
static int seen[4];

static void *set(void *unused) {
    __VERIFIER_atomic_begin();
    first = 1;
    second = 1;
    __VERIFIER_atomic_end();
    return unused;
}

static void *look_inside(void *unused) {
    __VERIFIER_atomic_begin();
    seen[0] = first;
    seen[1] = second;
    __VERIFIER_atomic_end();
    return unused;
}

static void *look_outside(void *unused) {
    seen[2] = first;
    seen[3] = second;
    return unused;
}

int main(void) {
    void *(*const bodies[])(void *) = {set, look_inside, look_outside};
    pthread_t threads[3];
    for (int number = 0; number < 3; number++)
        pthread_create(&threads[number], NULL, bodies[number], NULL);
    for (int number = 0; number < 3; number++)
        pthread_join(threads[number], NULL);
    printf("%d%d%d%d\n", seen[0], seen[1], seen[2], seen[3]);
    return 0;
}
