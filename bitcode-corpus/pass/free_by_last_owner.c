// Two owners of a block: the last one frees it in the step that counts it out, before the count is looked at again.
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
    if (atomic_fetch_sub_explicit(&block->owners, 1, memory_order_acq_rel) == 1)
        free(block);
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
