// Two condition variables of one mutex: each wakes its own waiter.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int item, taken;

static void *consume(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!item)
        pthread_cond_wait(&full, &mutex);
    item = 0;
    taken++;
    pthread_cond_signal(&empty);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, consume, NULL);
    pthread_mutex_lock(&mutex);
    item = 1;
    pthread_cond_signal(&full);
    while (item)
        pthread_cond_wait(&empty, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("%d,%d\n", taken, !item);
    return 0;
}
