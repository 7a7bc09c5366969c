// A thread ends without unlocking; whoever locks next waits for ever.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *forget(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, forget, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex); //~ ERROR: deadlock
    return 0;
}
