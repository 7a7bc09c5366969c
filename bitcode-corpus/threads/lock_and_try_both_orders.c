// Each thread holds a lock while it tries the other's, and gives it back where that fails. Both may do so again and again.
//@ outcomes: ab ba
//@ again: --reduction source-sets
//@ again: --reduction states
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void with_both(pthread_mutex_t *first, pthread_mutex_t *second, char name) {
    pthread_mutex_lock(first);
    while (pthread_mutex_trylock(second) != 0) {
        pthread_mutex_unlock(first);
        pthread_mutex_t *failed = second;
        second = first;
        first = failed;
        pthread_mutex_lock(first);
    }
    putchar(name);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *run(void *unused) {
    with_both(&one, &other, 'a');
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    with_both(&other, &one, 'b');
    pthread_join(thread, NULL);
    return 0;
}
