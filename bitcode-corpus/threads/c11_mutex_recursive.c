// A recursive mutex: counted.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

int main(void) {
    mtx_t mutex;
    mtx_init(&mutex, mtx_plain | mtx_recursive);
    mtx_lock(&mutex);
    printf("%d", mtx_trylock(&mutex) == thrd_success);
    printf(",%d", mtx_unlock(&mutex) == thrd_success);
    printf(",%d\n", mtx_unlock(&mutex) == thrd_success);
    mtx_destroy(&mutex);
    return 0;
}
