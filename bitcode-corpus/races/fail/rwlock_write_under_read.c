// Readers do not exclude each other.
//@ flags: --check race
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data, seen;

static void *one(void *unused) {
    pthread_rwlock_rdlock(&lock);
    data = 1; //~ ERROR: data race on `data`
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *two(void *unused) {
    pthread_rwlock_rdlock(&lock);
    seen = data;
    pthread_rwlock_unlock(&lock);
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
