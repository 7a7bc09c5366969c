// Of two threads that try once, one or both get the mutex, depending on the schedule.
//@ outcomes: 1 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int entered;

static void *attempt(void *unused) {
    if (pthread_mutex_trylock(&mutex) == 0) {
        entered++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, attempt, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", entered);
    return 0;
}
