// Two locks taken in opposite orders.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int transfers;

static void transfer(pthread_mutex_t *from, pthread_mutex_t *to) {
    pthread_mutex_lock(from);
    pthread_mutex_lock(to); //~ ERROR: deadlock
    transfers++;
    pthread_mutex_unlock(to);
    pthread_mutex_unlock(from);
}

static void *there(void *unused) {
    transfer(&a, &b);
    return unused;
}

static void *back(void *unused) {
    transfer(&b, &a);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, there, NULL);
    pthread_create(&threads[1], NULL, back, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
