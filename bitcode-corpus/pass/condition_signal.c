// A waiter that tests its predicate in a loop always sees what the signaller stored.
//@ outcomes: 7
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *produce(void *unused) {
    pthread_mutex_lock(&mutex);
    data = 7;
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
    printf("%d\n", data);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
