// Two threads end, each while it holds a mutex. Every execution fails; the order decides which of them is first.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *forget(void *mutex) {
    pthread_mutex_lock(mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, forget, &one); //~ ERROR: the thread ends while it holds the mutex in `one`
    pthread_create(&threads[1], NULL, forget, &other); //~ ERROR: the thread ends while it holds the mutex in `other`
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
