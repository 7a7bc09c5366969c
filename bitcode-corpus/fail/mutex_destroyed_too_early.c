// The main thread takes the flag for the end of the worker, who still has to unlock.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    atomic_store(&done, 1);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    if (atomic_load(&done))
        pthread_mutex_destroy(&mutex); //~ ERROR: destroy of a mutex that T1 work holds
    pthread_join(worker, NULL);
    return 0;
}
