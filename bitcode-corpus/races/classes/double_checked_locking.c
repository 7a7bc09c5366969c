// Portend's DCL: the first look is without the lock; whoever looks too early looks again.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 12 16
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int initialised, made;

static void *get(void *unused) {
    // The look without the lock.

    if (!initialised) {
        pthread_mutex_lock(&lock);
        if (!initialised) {
            made++;
            initialised = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, get, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", made);
    return 0;
}
