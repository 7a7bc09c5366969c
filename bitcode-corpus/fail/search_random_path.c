// An error that needs inputs and a schedule, found by another order of paths.
//@ flags: --search random-path
#include <assert.h>
#include <klee/klee.h>
#include <pthread.h>

static volatile int ready;

static void *work(void *unused) {
    ready = 1;
    return unused;
}

int main(void) {
    int x = klee_int("x");
    pthread_t thread;
    if (x > 10) {
        pthread_create(&thread, NULL, work, NULL);
        if (x == 77)
            assert(!ready); //~ ERROR: assertion failed
        pthread_join(thread, NULL);
    }
    return 0;
}
