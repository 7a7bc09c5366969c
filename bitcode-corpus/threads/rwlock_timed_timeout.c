// A held lock is not had before the deadline.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static int read_error, write_error;

static void *try(void *unused) {
    struct timespec past = {.tv_sec = 1};
    read_error = pthread_rwlock_timedrdlock(&lock, &past);
    write_error = pthread_rwlock_timedwrlock(&lock, &past);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&thread, NULL, try, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    printf("%d,%d\n", read_error == ETIMEDOUT, write_error == ETIMEDOUT);
    return 0;
}
