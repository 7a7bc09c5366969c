// A thread goes on without unlocking; whoever locks next waits for ever.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock(void *unused) {
    pthread_mutex_lock(&mutex); //~ ERROR: deadlock
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, lock, NULL);
    pthread_join(thread, NULL);
    return 0;
}
