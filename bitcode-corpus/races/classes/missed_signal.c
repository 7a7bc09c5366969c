// The flag is set outside the lock: set between look and wait, its signal is missed and the waiter sleeps for ever.
//@ races[sc,tso,pso,weak]: spec-violated at 11 18
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

static void *announce(void *unused) {
    // Not under the lock.
    ready = 1;
    pthread_cond_signal(&changed);
    return unused;
}

static void *await(void *unused) {
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
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
