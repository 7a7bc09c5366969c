// A one-place buffer with mutex and conditions hands over every item once and in order.
//@ outcomes: 12
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static int slot;

static void *produce(void *unused) {
    for (int item = 1; item <= 2; item++) {
        pthread_mutex_lock(&mutex);
        while (slot != 0)
            pthread_cond_wait(&not_full, &mutex);
        slot = item;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        while (slot == 0)
            pthread_cond_wait(&not_empty, &mutex);
        printf("%d", slot);
        slot = 0;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(producer, NULL);
    printf("\n");
    return 0;
}
