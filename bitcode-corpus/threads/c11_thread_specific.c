// Each thread has a value; the destructor gets it when its thread ends.
//@ outcomes: 1,1,2
//@ native
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <threads.h>

static tss_t key;
static int destroyed, main_value = 1, thread_value = 2;

static void destroy(void *value) {
    destroyed = *(int *)value;
}

static int run(void *unused) {
    (void)unused;
    tss_set(key, &thread_value);
    return 0;
}

int main(void) {
    thrd_t thread;
    printf("%d", tss_create(&key, destroy) == thrd_success);
    tss_set(key, &main_value);
    thrd_create(&thread, run, NULL);
    thrd_join(thread, NULL);
    printf(",%d,%d\n", *(int *)tss_get(key), destroyed);
    tss_delete(key);
    return 0;
}
