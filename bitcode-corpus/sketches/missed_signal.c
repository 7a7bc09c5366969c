// A missed signal: the flag is not looked at with the mutex held, and the signal comes before the wait.
//@ predictor: order WR 13 24
//@ sketch: a:21 b:12 b:13 a:23 a:24
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void *announce(void *unused) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *await(void *unused) {
    // The check is too early: it ought to be made with the mutex held.
    int is_ready;
    is_ready = ready;
    pthread_mutex_lock(&mutex);
    if (!is_ready)
        pthread_cond_wait(&changed, &mutex); //~ ERROR: deadlock
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, announce, NULL);
    pthread_create(&threads[1], NULL, await, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
