// Threads share an object and drop their shares. As long as main keeps its own, none is the last: in which
// order they do so makes no difference.
//@ outcomes: 4-freed
//@ executions[sc]: 1
//@ executions[tso]: 1
//@ cflags: -O1
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

struct shared {
    atomic_int owners;
    int number;
};

static atomic_int freed;

static void drop_share(struct shared *shared) {
    if (atomic_fetch_sub(&shared->owners, 1) == 1) {
        printf("%d-", shared->number);
        free(shared);
        atomic_fetch_add(&freed, 1);
    }
}

static void *use(void *shared) {
    drop_share(shared);
    return NULL;
}

int main(void) {
    struct shared *shared = malloc(sizeof *shared);
    pthread_t threads[THREADS];
    atomic_init(&shared->owners, 1);
    shared->number = THREADS;
    for (int i = 0; i < THREADS; i++) {
        // The count does not overflow.
        if (atomic_fetch_add(&shared->owners, 1) < 0) abort();
        pthread_create(&threads[i], NULL, use, shared);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    drop_share(shared);
    puts(atomic_load(&freed) == 1 ? "freed" : "kept");
}
