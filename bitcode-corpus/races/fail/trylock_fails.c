// A trylock that fails orders nothing.
//@ flags: --check race
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *one(void *unused) {
    pthread_mutex_lock(&mutex);
    x++; //~ ERROR: data race on `x`
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *two(void *unused) {
    if (pthread_mutex_trylock(&mutex) == 0)
        pthread_mutex_unlock(&mutex);
    else
        x--;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
