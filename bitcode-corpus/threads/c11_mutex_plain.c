// A plain mutex: locked once.
//@ outcomes: 1,1,1,1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

int main(void) {
    mtx_t mutex;
    printf("%d", mtx_init(&mutex, mtx_plain) == thrd_success);
    printf(",%d", mtx_lock(&mutex) == thrd_success);
    printf(",%d", mtx_trylock(&mutex) == thrd_busy);
    printf(",%d\n", mtx_unlock(&mutex) == thrd_success);
    mtx_destroy(&mutex);
    return 0;
}
