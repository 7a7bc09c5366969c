// A function of the program's own is not taken for the library's of the same name: its calls are counted.
//@ outcomes: 0 1 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int is_set;
static int calls;

static __attribute__((noinline)) void thrd_yield(void) { calls++; }

static void *set(void *unused) {
    is_set = 1;
    return unused;
}

int main(void) {
    pthread_t setter;
    pthread_create(&setter, NULL, set, NULL);
    for (int i = 0; i < 2 && !is_set; i++)
        thrd_yield();
    printf("%d\n", calls);
    pthread_join(setter, NULL);
    return 0;
}
