// A broadcast wakes every waiter.
//@ outcomes: 2
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int open_gate, through;

static void *pass(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!open_gate)
        pthread_cond_wait(&changed, &mutex);
    through++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, pass, NULL);
    pthread_mutex_lock(&mutex);
    open_gate = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", through);
    return 0;
}
