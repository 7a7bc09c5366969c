// Threads that spin come round, though each of their exchanges and failed updates is an event that others
// may come after.
//@ outcomes[sc,tso,pso,weak]: 3
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int by_exchange, by_compare;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum, is_done;

static void add(void) {
    while (atomic_exchange_explicit(&by_exchange, 1, memory_order_acquire))
        ;
    sum++;
    atomic_store_explicit(&by_exchange, 0, memory_order_release);
}

static void add_one_more(void) {
    int expected = 0;
    while (!atomic_compare_exchange_strong(&by_compare, &expected, 1))
        expected = 0;
    sum++;
    atomic_store(&by_compare, 0);
}

static void *work(void *unused) {
    add();
    pthread_mutex_lock(&mutex);
    is_done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    add();
    for (int found = 0; !found;) {
        pthread_mutex_lock(&mutex);
        found = is_done;
        pthread_mutex_unlock(&mutex);
    }
    add_one_more();
    pthread_join(thread, NULL);
    printf("%d\n", sum);
    return 0;
}
