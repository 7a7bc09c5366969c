// A relaxed update between a release and an acquire carries the release on (C11 5.1.2.4, release sequence).
//@ outcomes[sc,tso,pso,weak]: 00 01 10 11 21

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int data, flag;
static int seen_flag, seen_data;

static void *writer(void *unused) {
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *carrier(void *unused) {
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    seen_flag = atomic_load_explicit(&flag, memory_order_acquire);
    seen_data = atomic_load_explicit(&data, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, carrier, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d\n", seen_flag, seen_data);
    return 0;
}
