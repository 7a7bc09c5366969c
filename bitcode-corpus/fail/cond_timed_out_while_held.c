// A timed wait whose time is up while another thread holds the mutex: it returns ETIMEDOUT after the other has changed
// what was waited for, and signalled in vain.
//@ again: --reduction source-sets
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

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
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&mutex);
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    int result = pthread_cond_timedwait(&changed, &mutex, &until);
    if (result == ETIMEDOUT)
        assert(!ready); //~ ERROR: assertion failed
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
