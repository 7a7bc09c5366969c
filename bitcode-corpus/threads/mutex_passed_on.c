// Three threads take turns at one mutex.
//@ outcomes: 3
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int number = 0; number < 3; number++)
        pthread_create(&threads[number], NULL, add, NULL);
    for (int number = 0; number < 3; number++)
        pthread_join(threads[number], NULL);
    printf("%d\n", count);
    return 0;
}
