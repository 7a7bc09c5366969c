// Who retries an exchange with the number it has just seen goes on as if it had seen that number at first; where a number
// ends the thread's work, it is the same.
//@ outcomes: 0-1
//@ executions: 2
//@ native
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int left = 1, taken;

static void *take(void *unused) {
    int seen = atomic_load(&left);
    while (seen) {
        if (atomic_compare_exchange_strong(&left, &seen, seen - 1)) atomic_store(&taken, 1);
    }
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, take, NULL);
    pthread_create(&other, NULL, take, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d-%d\n", atomic_load(&left), atomic_load(&taken));
    return 0;
}
