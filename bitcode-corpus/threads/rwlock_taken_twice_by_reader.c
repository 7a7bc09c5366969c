// The second time that a reader takes the lock it gets it; the writer may still come first.
//@ outcomes: 12 21
//@ flags: --reduction source-sets

#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int order;

static void *take_twice(void *argument) {
    pthread_rwlock_rdlock(&lock);
    if (pthread_rwlock_rdlock(&lock) == 0) order = order * 10 + 1;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void *take(void *argument) {
    pthread_rwlock_wrlock(&lock);
    order = order * 10 + 2;
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, take_twice, 0);
    pthread_create(&other, 0, take, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%d\n", order);
    return 0;
}
