// Message passing inside critical sections of one mutex: both stores or neither.
//@ outcomes[sc,tso,pso]: 00 11

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x, y;
int r0, r1;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    r0 = atomic_load_explicit(&y, memory_order_relaxed);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(r0 == r1);
    printf("%d%d\n", r0, r1);
    return 0;
}
