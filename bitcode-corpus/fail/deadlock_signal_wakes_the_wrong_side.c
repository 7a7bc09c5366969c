// One condition variable for both sides of a bounded queue: a signal meant for a producer may wake a consumer.
#include <pthread.h>
#include <stdlib.h>
#define CAPACITY 1
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items[CAPACITY], count;
static void put(int item) {
    pthread_mutex_lock(&lock);
    while (count == CAPACITY)
        pthread_cond_wait(&changed, &lock);
    items[count++] = item;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}
static int take(void) {
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&changed, &lock); //~ ERROR: deadlock
    int item = items[--count];
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return item;
}
static void *producer(void *item) {
    put((int)(long)item);
    return NULL;
}
static void *consumer(void *unused) {
    (void)unused;
    return (void *)(long)take();
}
int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, consumer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_create(&threads[2], NULL, producer, (void *)1);
    pthread_create(&threads[3], NULL, producer, (void *)2);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
