// A mutex is destroyed by one thread while another holds it.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;

static void *hold(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_barrier_wait(&held);
    pthread_barrier_wait(&held);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&held, NULL, 2);
    pthread_create(&thread, NULL, hold, NULL);
    pthread_barrier_wait(&held);
    pthread_mutex_destroy(&mutex); //~ ERROR: destroy of a mutex that T1 hold holds
    pthread_barrier_wait(&held);
    pthread_join(thread, NULL);
    return 0;
}
