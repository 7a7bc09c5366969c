// A wait with a deadline that has passed times out, with the mutex held.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>
#include <time.h>

int main(void) {
    mtx_t mutex;
    cnd_t changed;
    struct timespec past = {.tv_sec = 1};
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    mtx_lock(&mutex);
    printf("%d", cnd_timedwait(&changed, &mutex, &past) == thrd_timedout);
    printf(",%d\n", mtx_unlock(&mutex) == thrd_success);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    return 0;
}
