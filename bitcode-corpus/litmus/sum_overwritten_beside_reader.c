// An update whose result is unused commutes with its kind. Behind it, one thread reads what it left while
// another overwrites that.
//@ outcomes: 1 5

#include <pthread.h>
#include <stdio.h>

static int sum, seen;

static void *idle(void *unused) {
    return unused;
}

static void *overwrite(void *unused) {
    __atomic_store_n(&sum, 5, __ATOMIC_SEQ_CST);
    return unused;
}

static void *look(void *unused) {
    seen = __atomic_load_n(&sum, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, idle, NULL);
    __atomic_fetch_add(&sum, 1, __ATOMIC_SEQ_CST);
    pthread_create(&threads[1], NULL, overwrite, NULL);
    pthread_create(&threads[2], NULL, look, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", seen);
    return 0;
}
