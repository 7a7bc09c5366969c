// Others get a recursive mutex only when it was unlocked as often as it was locked.
//@ outcomes: 3,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int error;

static void *try(void *unused) {
    error = pthread_mutex_trylock(&mutex);
    if (error == 0)
        pthread_mutex_unlock(&mutex);
    return unused;
}

static int seen_by_other(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, try, NULL);
    pthread_join(thread, NULL);
    return error;
}

int main(void) {
    int depth = 0;
    while (depth < 3 && pthread_mutex_lock(&mutex) == 0)
        depth++;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    printf("%d,%d", depth, seen_by_other() == EBUSY);
    pthread_mutex_unlock(&mutex);
    printf(",%d\n", seen_by_other());
    return 0;
}
