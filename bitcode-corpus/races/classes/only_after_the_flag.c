// The second read comes after the write in every execution; under weak it may still see what was before. Its
// thread may read before, elsewhere.
//@ races: output-differs at 15 24
//@ races[sc,tso,pso]: single-ordering at 15 27
//@ races[weak]: output-differs at 15 27
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

int volatile x;
atomic_int flag;

static void *set(void *unused) {
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    x = 1;
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t setter;
    int second = 1;
    pthread_create(&setter, NULL, set, NULL);
    int first = x;
    printf("%d", first);
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 2)
        second = x;
    pthread_join(setter, NULL);
    return second != 1;
}
