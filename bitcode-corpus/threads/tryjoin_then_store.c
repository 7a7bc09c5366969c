// A store waits in its buffer while its thread ends, and with it a variable on the stack: what others have written to
// the place meanwhile stays there.
//@ cflags: -O0 -Xclang -disable-O0-optnone
//@ outcomes: 00 01 03 11 13
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static int first, second;
static pthread_t child;

static void *exchange(void *unused) {
    int old = 0;
    __atomic_compare_exchange_n(&second, &old, 3, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    __atomic_store_n(&first, 1, __ATOMIC_RELAXED);
    return unused;
}

static void *store(void *unused) {
    void *result;
    pthread_create(&child, NULL, exchange, NULL);
    (void)pthread_tryjoin_np(child, &result);
    __atomic_store_n(&second, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, store, NULL);
    int one = __atomic_load_n(&first, __ATOMIC_RELAXED), other = __atomic_load_n(&second, __ATOMIC_RELAXED);
    char seen[] = {(char)('0' + one), (char)('0' + other)};
    write(1, seen, sizeof seen);
    return 0;
}
