// An unlock that fails, since the thread does not hold the mutex, orders nothing: what comes before it may
// still come between two steps of the holder.
//@ again: --reduction source-sets
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int changing;

static void *change(void *unused) {
    pthread_mutex_lock(&mutex);
    changing = 1;
    changing = 0;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    int seen = changing;
    int result = pthread_mutex_unlock(&mutex);
    assert(result == EPERM);
    assert(seen == 0); //~ ERROR: assertion failed
    pthread_join(thread, NULL);
    return 0;
}
