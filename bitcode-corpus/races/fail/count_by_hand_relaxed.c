// With a relaxed count the other owner may still be reading when the block is freed.
//@ flags: --check race,memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct block {
    atomic_int owners;
    int value;
};

static void *drop(void *given) {
    struct block *block = given;
    (void)*(volatile int *)&block->value;
    if (atomic_fetch_sub_explicit(&block->owners, 1, memory_order_relaxed) == 1)
        free(block); //~ ERROR: data race on
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct block *block = malloc(sizeof *block);
    atomic_init(&block->owners, 2);
    block->value = 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, drop, block);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
