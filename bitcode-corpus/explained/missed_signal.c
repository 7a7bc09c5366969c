// The signal comes before anybody waits for it.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *announce(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, announce, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&ready, &mutex); //~ ERROR: deadlock
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    return 0;
}
