// A wait with a deadline is a cancellation point as well; it may be over before the request.
//@ outcomes: 1,1 0,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const struct timespec far = {.tv_sec = 1L << 33};

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

static void *wait_for_signal(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    pthread_cond_timedwait(&changed, &mutex, &far);
    pthread_testcancel();
    pthread_cleanup_pop(1);
    return unused;
}

static int is_cancelled(void *(*run)(void *)) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED;
}

int main(void) {
    int cancelled = is_cancelled(wait_for_signal);
    printf("%d,%d\n", cancelled, pthread_mutex_trylock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}
