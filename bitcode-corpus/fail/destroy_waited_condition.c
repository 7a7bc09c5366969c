// A condition variable is destroyed while a thread waits on it, or before.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex); //~ ERROR: use of a destroyed condition variable
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_destroy(&changed); //~ ERROR: destroy of a condition variable on which threads wait
    pthread_mutex_unlock(&mutex);
    _Exit(0);
}
