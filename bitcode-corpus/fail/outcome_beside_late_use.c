// A thread uses a block that another one has freed, but the process may end before. Then `main` may have seen
// what the other thread did after it had freed the block, and nothing of the first.
//@ outcomes: 0 1 3 4
//@ flags: --keep-going

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static int *block;
static atomic_int seen;

static void *user(void *unused) {
    atomic_store(&seen, 3);
    *block = 2; //~ ERROR: use after free
    return unused;
}

static void *freer(void *unused) {
    free(block);
    int before = atomic_fetch_add(&seen, 1);
    (void)before;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    block = malloc(sizeof *block);
    pthread_create(&threads[0], NULL, user, NULL);
    pthread_create(&threads[1], NULL, freer, NULL);
    printf("%d\n", atomic_load(&seen));
    return 0;
}
