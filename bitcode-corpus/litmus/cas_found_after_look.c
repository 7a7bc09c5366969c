// What an exchange finds that fails after a look is explored, also where a look then would change as many variables.
//@ outcomes[sc,tso,pso,weak]: 00 05 50

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int x;
static int seen_at_first, found_then;
static void *looks(void *unused) {
    int seen = 0, found = 0;
    seen = atomic_load(&x);
    if (seen == 0) found = __sync_val_compare_and_swap((int *)&x, 0, 5);
    seen_at_first = seen;
    found_then = found;
    return unused;
}
static void *stores(void *unused) { atomic_store(&x, 5); return unused; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, looks, NULL);
    pthread_create(&b, NULL, stores, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d%d\n", seen_at_first, found_then);
    return 0;
}
