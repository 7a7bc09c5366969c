// A try to write finds readers inside or not: it does not wait for them, so their leaving is in order with it.
//@ outcomes: 00 10 11
//@ again: --reduction source-sets

#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int written, seen;

static void *try_to_write(void *unused) {
    if (pthread_rwlock_trywrlock(&lock) == 0) {
        written = 1;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

static void *read_value(void *result) {
    pthread_rwlock_rdlock(&lock);
    if (result)
        *(int *)result = written;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, try_to_write, NULL);
    pthread_create(&threads[1], NULL, read_value, &seen);
    pthread_create(&threads[2], NULL, read_value, NULL);
    for (int index = 0; index < 3; index++)
        pthread_join(threads[index], NULL);
    printf("%d%d\n", written, seen);
    return 0;
}
