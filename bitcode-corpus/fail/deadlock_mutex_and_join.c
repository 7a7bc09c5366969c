// A thread is joined by one that holds what it needs.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused) {
    pthread_mutex_lock(&mutex); //~ ERROR: waits for the mutex `mutex`, held by T0 main, which waits for the end of T1 run
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex); //~ NOTE: `mutex` acquired by
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
