// Threads that begin alike are no longer identical where their results are told apart: both orders are explored.
//@ flags: --symmetry
//@ executions: 2
//@ outcomes: 12 21
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *run(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    long mine = ++count;
    pthread_mutex_unlock(&mutex);
    return (void *)mine;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        printf("%ld", (long)result);
    }
    puts("");
    return 0;
}
