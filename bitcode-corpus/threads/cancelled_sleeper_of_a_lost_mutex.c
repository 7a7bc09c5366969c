// A thread that is cancelled in a wait ends, also if its robust mutex is not recoverable any more.
//@ outcomes: cancelled
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int sleeps;

static void *sleeper(void *unused) {
    pthread_mutex_lock(&mutex);
    sleeps = 1;
    pthread_cond_wait(&never, &mutex);
    return unused;
}

static void *ends_with_it(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t robust;
    pthread_t thread, other;
    void *result;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &robust);
    pthread_create(&thread, NULL, sleeper, NULL);
    pthread_mutex_lock(&mutex);
    while (!sleeps) {
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
    pthread_create(&other, NULL, ends_with_it, NULL);
    pthread_join(other, NULL);
    if (pthread_mutex_lock(&mutex) != EOWNERDEAD) return 1;
    // Without having been made consistent, it is lost.
    pthread_mutex_unlock(&mutex);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "goes on");
    return 0;
}
