// The process may end while a detached thread is inside its section, before that or after.
//@ flags: --check held-lock
//@ again: --reduction source-sets
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) { //~ ERROR: T1 work holds `mutex` when the process ends
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    return 0;
}
