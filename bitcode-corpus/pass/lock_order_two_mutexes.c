// Two orders that contradict each other, in threads that never meet in the schedules explored: a barrier keeps the
// second one back. That is no order of the locks, so the two are told as a warning.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t passed;

static void *first(void *unused) {
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); //~ WARNING: lock order: T1 first holds `left` and waits for `right`, T2 second holds `right` and waits for `left`
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    pthread_barrier_wait(&passed);
    return unused;
}

static void *second(void *unused) {
    pthread_barrier_wait(&passed);
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&passed, NULL, 2);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
