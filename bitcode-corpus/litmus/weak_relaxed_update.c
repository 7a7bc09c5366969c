// A relaxed update publishes nothing: its reader may miss the data, under weak alone. C11 allows that.
//@ outcomes[sc,tso,pso]: 00 01 11
//@ outcomes[weak]: 00 01 10 11

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int data, flag;
static int seen_flag, seen_data;

static void *writer(void *unused) {
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    seen_flag = atomic_load_explicit(&flag, memory_order_acquire);
    seen_data = atomic_load_explicit(&data, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d%d\n", seen_flag, seen_data);
    return 0;
}
