// A wait at a condition variable that fails does not check for a cancellation request. A wait that sleeps unlocks its mutex
// before it acts on a request, also on one made before the call.
//@ outcomes: EPERM,had EPERM,busy
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex, other;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;

static void unlock(void *which) {
    pthread_mutex_unlock(which);
}

static void *fails(void *unused) {
    (void)unused;
    pthread_cancel(pthread_self());
    return pthread_cond_wait(&never, &mutex) == EPERM ? "EPERM" : "?";
}

static void *sleeper(void *unused) {
    pthread_mutex_lock(&other);
    pthread_cleanup_push(unlock, &other);
    pthread_cancel(pthread_self());
    pthread_barrier_wait(&both);
    pthread_cond_wait(&never, &other);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_mutexattr_t checking;
    pthread_t thread;
    void *result;
    pthread_mutexattr_init(&checking);
    pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &checking);
    pthread_mutex_init(&other, &checking);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, fails, NULL);
    pthread_join(thread, &result);
    if (result == PTHREAD_CANCELED) return 1;
    printf("%s,", (char *)result);
    pthread_create(&thread, NULL, sleeper, NULL);
    pthread_barrier_wait(&both);
    int taken = pthread_mutex_trylock(&other);
    puts(taken == 0 ? "had" : "busy");
    if (taken == 0) pthread_mutex_unlock(&other);
    pthread_join(thread, &result);
    return result != PTHREAD_CANCELED;
}
