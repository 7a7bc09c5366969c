// A thread begins before the one that has created it fails, and can fail first.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t never_held = PTHREAD_MUTEX_INITIALIZER;

static void *unlock(void *unused) {
    pthread_mutex_unlock(&never_held); //~ ERROR: unlock
    return unused;
}

int main(void) {
    pthread_t thread;
    int created = pthread_create(&thread, NULL, unlock, NULL) == 0;
    assert(!created); //~ ERROR: assertion failed
    pthread_join(thread, NULL);
    return 0;
}
