// Readers commute when they come and when they leave. Which of them come before the writer is all that counts.
//@ outcomes: 000 001 010 011 100 101 110 111
//@ executions[sc]: 8
//@ again: --jobs 2
//@ again: --reduction source-sets

#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen[3];

static void *write_value(void *unused) {
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *read_value(void *result) {
    pthread_rwlock_rdlock(&lock);
    *(int *)result = value;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t writer, readers[3];
    pthread_create(&writer, NULL, write_value, NULL);
    for (int index = 0; index < 3; index++)
        pthread_create(&readers[index], NULL, read_value, &seen[index]);
    for (int index = 0; index < 3; index++)
        pthread_join(readers[index], NULL);
    pthread_join(writer, NULL);
    printf("%d%d%d\n", seen[0], seen[1], seen[2]);
    return 0;
}
