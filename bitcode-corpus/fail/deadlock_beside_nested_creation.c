// Two threads take two locks in opposite orders, and one of them has created a third thread before. The failure replays
// whichever order of search has found it.
//@ again: --search bfs
//@ again: --search random-path
//@ again: --search coverage
//@ again: --reduction source-sets
//@ again: --check deadlock,race
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *nothing(void *unused) {
    return unused;
}

static void *first(void *unused) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ ERROR: deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
