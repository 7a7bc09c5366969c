// After "bbuf": who is woken takes an item without looking again whether there is one.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *take(void *unused) {
    pthread_mutex_lock(&mutex);
    if (items == 0)
        pthread_cond_wait(&filled, &mutex);
    items = items - 1;
    assert(items >= 0); //~ ERROR: assertion failed
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *put(void *unused) {
    pthread_mutex_lock(&mutex);
    items = items + 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, put, NULL);
    pthread_create(&threads[2], NULL, take, NULL);
    pthread_create(&threads[3], NULL, put, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
