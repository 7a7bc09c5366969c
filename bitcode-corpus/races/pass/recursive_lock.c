// Unlocking a recursive mutex once does not free it.
//@ flags: --check race
#include <pthread.h>

pthread_mutex_t mutex;
int x;

static void *one(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *two(void *unused) {
    pthread_mutex_lock(&mutex);
    x--;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
