// One signal for two waiters of different conditions: it may wake the one that goes back to sleep.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready[2];

static void *wait(void *flag) {
    pthread_mutex_lock(&mutex);
    while (!*(int *)flag)
        pthread_cond_wait(&changed, &mutex); //~ ERROR: deadlock
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void set(int which) {
    pthread_mutex_lock(&mutex);
    ready[which] = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, wait, &ready[number]);
    set(0);
    pthread_join(threads[0], NULL);
    set(1);
    pthread_join(threads[1], NULL);
    return 0;
}
