// Threads that sleep in one queue and are woken in every order.
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static unsigned turns, order;
static void *sleeps(void *number) {
    for (int round = 0; round < 4; round++) {
        pthread_mutex_lock(&lock);
        while (turns == 0) pthread_cond_wait(&go, &lock);
        turns--;
        order = 7 * order + (unsigned)(long)number;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
int main(void) {
    pthread_t threads[7];
    for (long i = 0; i < 7; i++) pthread_create(&threads[i], NULL, sleeps, (void *)i);
    for (int i = 0; i < 28; i++) {
        pthread_mutex_lock(&lock);
        turns++;
        pthread_cond_signal(&go);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 7; i++) pthread_join(threads[i], NULL);
    return order & 1;
}
