// A timed wait whose deadline has passed returns ETIMEDOUT and holds the mutex again.
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec past = {1, 0};
    pthread_mutex_lock(&mutex);
    printf("%d\n", pthread_cond_timedwait(&never, &mutex, &past) == ETIMEDOUT);
    printf("%d\n", pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    return 0;
}
