// A thread looks under a lock, again and again, until another has stored there. A round in vain leaves nothing,
// the first one included, though only a static initialiser made the mutex.
//@ outcomes: done
//@ executions[sc]: 1
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stored;

static void *store(void *unused) {
    pthread_mutex_lock(&mutex);
    stored = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, store, NULL);
    for (int found = 0; !found;) {
        pthread_mutex_lock(&mutex);
        found = stored;
        pthread_mutex_unlock(&mutex);
    }
    puts("done");
    return pthread_join(thread, NULL);
}
