// What threads left in shared memory is copied after the last join, but decides nothing.
//@ flags: --reduction source-sets
//@ executions[sc]: 6
//@ outcomes: same
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int last, seen;
static int copied[2];

static void *write_one(void *unused) {
    atomic_store(&last, 1);
    return unused;
}

static void *write_two(void *unused) {
    atomic_store(&last, 2);
    return unused;
}

static void *look(void *unused) {
    atomic_store(&seen, atomic_load(&last));
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, write_one, NULL);
    pthread_create(&threads[1], NULL, write_two, NULL);
    pthread_create(&threads[2], NULL, look, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    copied[0] = seen;
    copied[1] = last + seen;
    printf("same");
    return 0;
}
