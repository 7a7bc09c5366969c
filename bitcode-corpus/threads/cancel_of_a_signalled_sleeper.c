// A cancellation request after the signal, before the thread has locked its mutex again: cancelled or woken.
//@ outcomes: cancelled woken
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int sleeps;

static void *sleeper(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    sleeps = 1;
    pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return "woken";
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, sleeper, NULL);
    pthread_mutex_lock(&mutex);
    while (!sleeps) {
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
    }
    pthread_cond_signal(&changed);
    pthread_cancel(thread);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : result);
    return 0;
}
