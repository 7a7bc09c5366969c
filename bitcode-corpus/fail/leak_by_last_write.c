// Two threads write a pointer that none reads. Where the null pointer is the last, the block is lost.
//@ flags: --check leak

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void *_Atomic kept;

static void *drop(void *unused) {
    atomic_store(&kept, NULL);
    return unused;
}

static void *keep(void *unused) {
    atomic_store(&kept, malloc(4)); //~ ERROR: memory leak
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, drop, NULL);
    pthread_create(&threads[1], NULL, keep, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
