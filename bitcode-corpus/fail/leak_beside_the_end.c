// The worker loses its object whether or not the process has ended by then: what is looked at then depends on it,
// though they share nothing.
//@ flags: --check leak --reduction source-sets
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused) {
    volatile int *made = malloc(sizeof *made); //~ ERROR: memory leak
    *made = 1;
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
    return 0;
}
