// Double-checked locking with a plain flag.
//@ flags: --check race
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ready, data;

static void *one(void *unused) {
    if (!ready) { //~ ERROR: data race on `ready`
        pthread_mutex_lock(&mutex);
        if (!ready) {
            data = 1;
            ready = 1;
        }
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, one, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
