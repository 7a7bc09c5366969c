// A wait that no signal ends is a deadlock, though it might end by itself: POSIX does not promise that.
//@ flags: --spurious-wakeups
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex); //~ ERROR: deadlock
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_join(thread, NULL);
    return 0;
}
