// Trying to lock a mutex that is held fails with EBUSY, also for its owner.
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    printf("%d\n", pthread_mutex_trylock(&mutex));
    printf("%d\n", pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    printf("%d\n", pthread_mutex_trylock(&mutex));
    pthread_mutex_unlock(&mutex);
    return 0;
}
