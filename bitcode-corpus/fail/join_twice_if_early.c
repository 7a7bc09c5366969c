// Two threads stop a worker, and both find it running.
#include <pthread.h>
#include <stdatomic.h>

static pthread_t worker;
static atomic_int runs = 1;

static void *work(void *unused) {
    return unused;
}

static void *stop(void *unused) {
    if (atomic_load(&runs)) {
        atomic_store(&runs, 0);
        pthread_join(worker, NULL); //~ ERROR: join of T1 work, which is
    }
    return unused;
}

int main(void) {
    pthread_t stopper;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&stopper, NULL, stop, NULL);
    stop(NULL);
    pthread_join(stopper, NULL);
    return 0;
}
