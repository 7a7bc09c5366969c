// A thread that asks who it is is told from those that begin alike.
//@ flags: --symmetry
//@ outcomes: first second
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t winner;
static int count;

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    if (count++ == 0)
        winner = pthread_self();
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts(pthread_equal(winner, threads[0]) ? "first" : "second");
    return 0;
}
