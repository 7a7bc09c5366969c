// The main thread initialises the mutex again after the worker has begun.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_init(&mutex, NULL); //~ ERROR: initialisation of a mutex that T1 work holds
    pthread_join(worker, NULL);
    return 0;
}
