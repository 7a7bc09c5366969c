// Fmm's check: a time stamp must never be negative, though the negative one is overwritten before anybody uses it.
//@ races[sc,tso,pso,weak]: spec-violated at 10 17
#include <pthread.h>
#include <symx.h>

int start = 5, stamp;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *restart(void *unused) {
    start = 1;
    return unused;
}

static void *measure(void *unused) {
    int now = 3;
    pthread_mutex_lock(&lock);
    stamp = start - now;
    symx_invariant(stamp >= 0);
    stamp = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, restart, NULL);
    pthread_create(&threads[1], NULL, measure, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return stamp;
}
