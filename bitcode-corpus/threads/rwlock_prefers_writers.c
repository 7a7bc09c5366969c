// A lock that prefers writers lets no further reader in while a writer waits; by default readers still come in.
//@ outcomes: 0,0 0,1
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t usual = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t preferring = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *writer(void *lock) {
    pthread_rwlock_wrlock(lock);
    pthread_rwlock_unlock(lock);
    return NULL;
}

static int is_second_reader_refused(pthread_rwlock_t *lock) {
    pthread_t thread;
    pthread_rwlock_rdlock(lock);
    pthread_create(&thread, NULL, writer, lock);
    int refused = pthread_rwlock_tryrdlock(lock) == EBUSY;
    if (!refused)
        pthread_rwlock_unlock(lock);
    pthread_rwlock_unlock(lock);
    pthread_join(thread, NULL);
    return refused;
}

int main(void) {
    printf("%d", is_second_reader_refused(&usual));
    printf(",%d\n", is_second_reader_refused(&preferring));
    return 0;
}
