// Readers come in again once the writer that they waited behind has given up.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock;

static void *writer(void *unused) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = soon.tv_nsec / 2;
    printf("%d,", pthread_rwlock_timedwrlock(&lock, &soon) == ETIMEDOUT);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, writer, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", pthread_rwlock_tryrdlock(&lock));
    return 0;
}
