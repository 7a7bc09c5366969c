// Two threads add under a mutex.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

static mtx_t mutex;
static int count;

static int add(void *unused) {
    (void)unused;
    mtx_lock(&mutex);
    count++;
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    mtx_init(&mutex, mtx_plain);
    for (int number = 0; number < 2; number++)
        thrd_create(&threads[number], add, NULL);
    for (int number = 0; number < 2; number++)
        thrd_join(threads[number], NULL);
    printf("%d\n", count);
    return 0;
}
