// A block on one line that is gone through again and again; each time it is one of its own.
//@ flags: --what-if atomic:what_if_atomic_loop.c:11-11
//@ outcomes: 00 01 02 11 12 22
#include <pthread.h>
#include <stdio.h>

static volatile int count, seen;

static void *add(void *unused) {
    for (int i = 0; i < 2; i++)
        count = count + 1;
    return unused;
}

static void *look(void *unused) {
    seen = count * 10 + count;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%02d\n", seen);
    return 0;
}
