// Atomic sections that touch nothing in common commute: one execution.
//@ outcomes: 44
//@ executions[sc]: 1
#include <pthread.h>
#include <stdio.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int counts[2];

static void *run(void *count) {
    for (int round = 0; round < 4; round++) {
        __VERIFIER_atomic_begin();
        ++*(int *)count;
        __VERIFIER_atomic_end();
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, &counts[0]);
    run(&counts[1]);
    pthread_join(thread, NULL);
    printf("%d%d\n", counts[0], counts[1]);
    return 0;
}
