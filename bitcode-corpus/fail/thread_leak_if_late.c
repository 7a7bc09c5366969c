// Who stops the pool joins the worker only if it is seen to run.
//@ flags: --check leak
#include <pthread.h>
#include <stdatomic.h>

static atomic_int runs;

static void *work(void *unused) {
    atomic_store(&runs, 1);
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL); //~ ERROR: thread leak: T1 work is never joined or detached
    if (atomic_load(&runs))
        pthread_join(worker, NULL);
    return 0;
}
