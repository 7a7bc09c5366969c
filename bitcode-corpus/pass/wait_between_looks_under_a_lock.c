// The greatest common divisor by two threads: each subtracts from its own number while that is the greater one, under a lock, and
// looks outside of it whether they are equal yet. Who waits for the other goes round a loop in which it takes the lock and gives
// it back.
//@ outcomes: 2
//@ native
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint numbers[2] = {8, 6};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reduce(void *own) {
    atomic_uint *mine = own, *other = mine == numbers ? numbers + 1 : numbers;
    while (*mine != *other) {
        pthread_mutex_lock(&lock);
        if (*mine > *other)
            *mine = *mine - *other;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, reduce, &numbers[number]);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    printf("%u\n", numbers[0]);
    return 0;
}
