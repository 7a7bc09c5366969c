// What a thread has read is known to all that come after it: a join hides what is older.
//@ outcomes[sc,tso,pso,weak]: 00 01 02 11 12 22

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x;
int r0, r1;

static void *writes(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return unused;
}

static void *reads(void *unused) {
    r0 = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, writes, NULL);
    pthread_create(&reader, NULL, reads, NULL);
    pthread_join(reader, NULL);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_join(writer, NULL);
    printf("%d%d\n", r0, r1);
    return 0;
}
