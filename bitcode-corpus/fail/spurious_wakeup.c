// A wait without a loop relies on being woken by a signal only, which POSIX does not promise.
//@ flags: --spurious-wakeups
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set(void *unused) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, set, NULL);
    pthread_cond_wait(&changed, &mutex);
    assert(ready); //~ ERROR: assertion failed
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
