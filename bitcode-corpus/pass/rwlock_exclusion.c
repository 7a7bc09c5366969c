// A reader under a read-write lock sees all of what a writer did, or nothing.
//@ outcomes: 00 11
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_both(void *unused) {
    pthread_rwlock_wrlock(&lock);
    left = 1;
    right = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t writer;
    pthread_create(&writer, NULL, write_both, NULL);
    pthread_rwlock_rdlock(&lock);
    printf("%d%d\n", left, right);
    pthread_rwlock_unlock(&lock);
    pthread_join(writer, NULL);
    return 0;
}
