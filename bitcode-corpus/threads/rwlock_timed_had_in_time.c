// And with a read-write lock.
//@ outcomes: 1 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int got;

static void *run(void *unused) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 30;
    if ((got = pthread_rwlock_timedwrlock(&lock, &limit) == 0))
        pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, run, NULL);
    usleep(50000);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%d\n", got);
    return 0;
}
