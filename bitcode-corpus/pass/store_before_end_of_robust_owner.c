// A robust mutex that its owner leaves to the next thread is released: what the owner stored before is seen.
//@ again: --reduction source-sets
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int stored;

static void *leave(void *unused) {
    pthread_mutex_lock(&mutex);
    stored = 1;
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t leaving;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&leaving, NULL, leave, NULL);
    if (pthread_mutex_lock(&mutex) == EOWNERDEAD) assert(stored == 1);
    pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(leaving, NULL);
    return 0;
}
