// After Apache httpd 45605: two listeners see one idle worker, and each takes it: the number of idle workers
// falls below zero.
//@ predictor: atomicity RWR 13 14 14
//@ sketch: a:13 b:13 b:14 a:14 a:15
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int idlers = 1;

static void *wait_for_idler(void *unused) {
    // A listener that sees no idle worker would wait for one.
    if (idlers > 0) {
        int before = atomic_fetch_sub(&idlers, 1);
        assert(before > 0); //~ ERROR: assertion failed
    }
    return unused;
}

int main(void) {
    pthread_t listeners[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&listeners[i], NULL, wait_for_idler, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(listeners[i], NULL);
    return 0;
}
