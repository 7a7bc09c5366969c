// An error-checking mutex refuses relocking by its owner and unlocking by anyone else.
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;
static int stranger;

static void *unlock(void *unused) {
    stranger = pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    printf("%d\n", pthread_mutex_unlock(&mutex) == EPERM);
    printf("%d\n", pthread_mutex_lock(&mutex));
    printf("%d\n", pthread_mutex_lock(&mutex) == EDEADLK);
    pthread_create(&thread, NULL, unlock, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", stranger == EPERM);
    printf("%d\n", pthread_mutex_unlock(&mutex));
    return 0;
}
