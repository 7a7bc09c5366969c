// What the main thread does after its last join is not executed again for each execution, unless what the threads have
// left in shared memory matters: here it is printed, steers a loop, and is what an address depends on.
//@ flags: --reduction source-sets
//@ executions[sc]: 6
//@ outcomes: 1aa0 2bba0
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int last, seen;
static const char letters[] = "zab";

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
    printf("%d", last);
    for (int k = 0; k < last; k++)
        putchar(letters[last]);
    printf("a%d", seen * 0);
    return 0;
}
