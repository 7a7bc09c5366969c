// The update of `x` and the assertion are one step. When it fails, the other thread reads no value of it.
//@ executions: 1
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static int x;

static void *nothing(void *unused) {
    return unused;
}

static void *reader(void *unused) {
    (void)unused;
    return (void *)(uintptr_t)(x + 1);
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, nothing, NULL);
    pthread_create(&two, NULL, reader, NULL);
    int old = 0;
    __atomic_compare_exchange_n(&x, &old, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    assert(old != 0); //~ ERROR: assertion failed: old != 0
    return 0;
}
