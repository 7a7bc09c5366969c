// A broadcast wakes both waiters.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static int ready, woken;

static int wait(void *unused) {
    (void)unused;
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&changed, &mutex);
    woken++;
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    for (int number = 0; number < 2; number++)
        thrd_create(&threads[number], wait, NULL);
    mtx_lock(&mutex);
    ready = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&mutex);
    for (int number = 0; number < 2; number++)
        thrd_join(threads[number], NULL);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    printf("%d\n", woken);
    return 0;
}
