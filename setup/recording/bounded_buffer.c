/* A producer and a consumer with a bounded buffer between them, guarded by a mutex and two conditions. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[PLACES], first, held;
static long items;

static int work(int item) {
    for (int turn = 0; turn < 40; turn++) item = item & 1 ? item * 3 + 1 : item / 2;
    return item;
}

static void *producer(void *unused) {
    for (long i = 0; i < items; i++) {
        int item = work((int)i);
        pthread_mutex_lock(&mutex);
        while (held == PLACES) pthread_cond_wait(&not_full, &mutex);
        buffer[(first + held++) % PLACES] = item;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *consumer(void *sum) {
    for (long i = 0; i < items; i++) {
        pthread_mutex_lock(&mutex);
        while (held == 0) pthread_cond_wait(&not_empty, &mutex);
        int item = buffer[first];
        first = (first + 1) % PLACES;
        held--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
        *(unsigned *)sum += (unsigned)work(item);
    }
    return NULL;
}

int main(int count, char **arguments) {
    items = count > 1 ? atol(arguments[1]) : 1000000;
    unsigned sum = 0;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, &sum);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%u\n", sum);
    return 0;
}
