// A process that ends beside threads takes libc's locks on its way out; the threads are told apart by what they read all
// the same. Two that add to a number: each reads the other's sum or not.
//@ executions: 3
//@ blocked: 0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *add(void *argument) {
    atomic_store(&sum, atomic_load(&sum) + 1);
    return argument;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, add, 0);
    pthread_create(&other, 0, add, 0);
    return 0;
}
