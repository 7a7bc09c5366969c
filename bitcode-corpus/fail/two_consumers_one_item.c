// Two consumers want an item each, and one is made. Whichever comes second sleeps forever, in every order.
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;
static int items;

static void *produce(void *unused) {
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&made);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consume(void *unused) {
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&made, &lock); //~ ERROR: deadlock
    items--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, consume, 0);
    pthread_create(&threads[1], 0, produce, 0);
    pthread_create(&threads[2], 0, consume, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
