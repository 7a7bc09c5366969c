// A worker locks a mutex that the main thread is yet to make.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *volatile mutex;
static int work;

static void *run(void *unused) {
    pthread_mutex_lock(mutex); //~ ERROR: null
    work = work + 1;
    pthread_mutex_unlock(mutex);
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, run, NULL);
    static pthread_mutex_t made = PTHREAD_MUTEX_INITIALIZER;
    mutex = &made;
    pthread_join(worker, NULL);
    return 0;
}
