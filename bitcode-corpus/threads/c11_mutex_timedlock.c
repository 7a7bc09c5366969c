// A held mutex is not had before the deadline, a free one is.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static int result;

static int try(void *unused) {
    struct timespec past = {.tv_sec = 1};
    (void)unused;
    result = mtx_timedlock(&mutex, &past);
    return 0;
}

int main(void) {
    thrd_t thread;
    struct timespec past = {.tv_sec = 1};
    mtx_init(&mutex, mtx_timed);
    printf("%d", mtx_timedlock(&mutex, &past) == thrd_success);
    thrd_create(&thread, try, NULL);
    thrd_join(thread, NULL);
    printf(",%d\n", result == thrd_timedout);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
    return 0;
}
