// Two readers have the lock at the same time: each waits inside for the other.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;
static int count;

static void *read(void *unused) {
    pthread_rwlock_rdlock(&lock);
    pthread_barrier_wait(&both);
    pthread_rwlock_unlock(&lock);
    __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, read, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    pthread_barrier_destroy(&both);
    printf("%d\n", count);
    return 0;
}
