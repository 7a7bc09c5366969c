// What is seen when one of two threads has been joined depends on which it was: they are told apart.
//@ flags: --symmetry
//@ outcomes: 1 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    pthread_join(threads[0], NULL);
    pthread_mutex_lock(&mutex);
    int seen = count;
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[1], NULL);
    printf("%d\n", seen);
    return 0;
}
