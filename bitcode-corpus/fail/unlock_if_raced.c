// The flag says who unlocks, and the other thread changes it in between.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int locked;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    atomic_store(&locked, 1);
    atomic_store(&locked, 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    if (atomic_load(&locked))
        pthread_mutex_unlock(&mutex); //~ ERROR: unlock by a thread that does not own the mutex
    pthread_join(worker, NULL);
    return 0;
}
