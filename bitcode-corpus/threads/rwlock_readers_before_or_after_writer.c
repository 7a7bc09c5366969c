// A reader may come before the writer whose unlocking it waited for.
//@ outcomes: 00 01 10 11
//@ again: --reduction source-sets

#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen[2];

static void *write_value(void *argument) {
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void *read_value(void *argument) {
    int *result = argument;
    pthread_rwlock_rdlock(&lock);
    *result = value;
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t writer, readers[2];
    pthread_create(&writer, 0, write_value, 0);
    for (int index = 0; index < 2; index++) pthread_create(&readers[index], 0, read_value, &seen[index]);
    pthread_join(writer, 0);
    for (int index = 0; index < 2; index++) pthread_join(readers[index], 0);
    printf("%d%d\n", seen[0], seen[1]);
    return 0;
}
