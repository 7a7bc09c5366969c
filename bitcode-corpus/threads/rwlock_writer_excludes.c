// Two writers add under the lock: nothing is lost.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int count;

static void *write(void *unused) {
    pthread_rwlock_wrlock(&lock);
    count++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, write, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    printf("%d\n", count);
    return 0;
}
