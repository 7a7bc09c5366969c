// The compiler reads the data in any case and drops the value where the flag is not set: no access of the program.
//@ flags: --check race
//@ cflags: -O2
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;
static int data;

static void *one(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
    int seen = 0;
    if (atomic_load_explicit(&flag, memory_order_acquire))
        seen = data == 1 ? 1 : 9;
    pthread_join(thread, NULL);
    printf("%d\n", seen);
    return 0;
}
