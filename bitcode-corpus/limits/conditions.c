// Waits with a time limit at a condition variable, again and again, beside a thread that signals.
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int number;
static void *signals(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        number++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, signals, NULL);
    struct timespec soon = {1, 0};
    for (;;) {
        pthread_mutex_lock(&lock);
        pthread_cond_timedwait(&changed, &lock, &soon);
        pthread_mutex_unlock(&lock);
    }
}
