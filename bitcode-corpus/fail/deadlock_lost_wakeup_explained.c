// The signal comes before the wait, which nothing ends then. Tools that only look at lock orders see nothing here.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *signal_once(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&changed); //~ NOTE: signalled `changed` here, while no thread waited
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, signal_once, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex); //~ ERROR: waits for a signal at the condition variable `changed`; the last signal came while no thread waited (lost wake-up)
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
