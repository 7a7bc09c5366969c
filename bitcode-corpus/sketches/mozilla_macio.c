// After Mozilla's macio.c (Lu et al. 2008): a request is marked pending after it was started, and its completion may
// have come before. It is waited for forever.
//@ predictor: order WR 15 25
//@ sketch: a:21 b:14 b:15 a:22 a:24 a:25
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static volatile int io_pending;

static void *complete(void *unused) {
    // The other side of the request.
    pthread_mutex_lock(&lock);
    io_pending = 0;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t device;
    pthread_create(&device, NULL, complete, NULL);
    io_pending = 1;
    pthread_mutex_lock(&lock);
    while (io_pending)
        pthread_cond_wait(&done, &lock); //~ ERROR: deadlock
    pthread_mutex_unlock(&lock);
    pthread_join(device, NULL);
    return 0;
}
