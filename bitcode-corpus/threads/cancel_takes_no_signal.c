// A cancelled waiter consumes no signal that another waiter could have: one signal, one survivor.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void unlock(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void) {
    pthread_t victim, survivor;
    void *result;
    pthread_create(&victim, NULL, run, NULL);
    pthread_create(&survivor, NULL, run, NULL);
    pthread_cancel(victim);
    pthread_join(victim, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(survivor, &result);
    printf("%d\n", result == NULL);
    return 0;
}
