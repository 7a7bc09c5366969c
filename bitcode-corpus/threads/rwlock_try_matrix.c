// Who gets a lock that is held: a reader beside a reader, and nobody else.
//@ outcomes: 0,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int reading, writing;

static void *try(void *unused) {
    reading = pthread_rwlock_tryrdlock(&lock);
    if (reading == 0)
        pthread_rwlock_unlock(&lock);
    writing = pthread_rwlock_trywrlock(&lock);
    if (writing == 0)
        pthread_rwlock_unlock(&lock);
    return unused;
}

static void ask(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, try, NULL);
    pthread_join(thread, NULL);
}

int main(void) {
    pthread_rwlock_rdlock(&lock);
    ask();
    printf("%d,%d", reading, writing == EBUSY);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    ask();
    printf(",%d,%d\n", reading == EBUSY, writing == EBUSY);
    pthread_rwlock_unlock(&lock);
    return 0;
}
