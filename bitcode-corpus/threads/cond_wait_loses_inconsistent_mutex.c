// Waiting gives the mutex back as an unlock does: a robust one that was not made consistent is lost.
//@ outcomes: 1
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *leave_locked(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_t thread;
    pthread_create(&thread, NULL, leave_locked, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    struct timespec past = {1, 0};
    printf("%d\n", pthread_cond_timedwait(&never, &mutex, &past) == ENOTRECOVERABLE);
    return 0;
}
