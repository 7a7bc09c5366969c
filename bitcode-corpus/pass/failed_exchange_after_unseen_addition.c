// An exchange that fails reads what an addition has left whose result nobody uses. Others may come before either.
//@ outcomes: 01 11
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int number;
static int seen, later;

static void *add(void *unused) {
    atomic_fetch_add(&number, 1);
    int expected = 0;
    atomic_compare_exchange_strong(&number, &expected, 5);
    later = atomic_load(&number);
    return unused;
}

static void *look(void *unused) {
    seen = atomic_load(&number);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&other, NULL, look, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d%d\n", seen, later);
    return 0;
}
