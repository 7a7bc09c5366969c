// A thread that ends while it holds a mutex: nobody gets it any more.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *forget(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, forget, NULL); //~ ERROR: the thread ends while it holds the mutex in `mutex`
    pthread_join(thread, NULL);
    return 0;
}
