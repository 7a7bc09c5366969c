// A thread reads its own latest store, whatever wrote there before: memory that it has not shared yet, too.
//@ outcomes[sc,tso,pso,weak]: 1,1,1
//@ native
#include <pthread.h>
#include <stdio.h>

static int updated, stored;

static void *run(void *unused) {
    __atomic_fetch_add(&updated, 2, __ATOMIC_RELEASE);
    updated = 1;
    int first = __atomic_load_n(&updated, __ATOMIC_SEQ_CST);
    __atomic_store_n(&stored, 2, __ATOMIC_SEQ_CST);
    stored = 1;
    int second = __atomic_load_n(&stored, __ATOMIC_SEQ_CST);
    printf("%d,%d,", first, second);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", __atomic_load_n(&updated, __ATOMIC_RELAXED));
    return 0;
}
