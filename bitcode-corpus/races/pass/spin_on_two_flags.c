// A loop of several looks, at flags of two threads, with a pause between them.
//@ flags: --check race
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int flags[2];
int data[2], sum;

static void *set(void *number) {
    long which = (long)number;
    data[which] = 1;
    atomic_store_explicit(&flags[which], 1, memory_order_release);
    return number;
}

static void *wait(void *unused) {
    while (!(atomic_load_explicit(&flags[0], memory_order_acquire) &&
             atomic_load_explicit(&flags[1], memory_order_acquire)))
        sched_yield();
    sum = data[0] + data[1];
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, set, (void *)0);
    pthread_create(&threads[1], NULL, set, (void *)1);
    pthread_create(&threads[2], NULL, wait, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
