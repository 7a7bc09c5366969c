// A signal wakes any of three sleepers, and each way counts once for each order in which they went to sleep.
//@ outcomes: 0 1 2
//@ executions: 144
//@ blocked: 0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t awake = PTHREAD_COND_INITIALIZER, asleep = PTHREAD_COND_INITIALIZER;
static int sleepers, first = -1;

static void *sleep_until_woken(void *number) {
    pthread_mutex_lock(&mutex);
    if (++sleepers == 3)
        pthread_cond_signal(&asleep);
    pthread_cond_wait(&awake, &mutex);
    if (first < 0) {
        first = (int)(long)number;
        pthread_cond_broadcast(&awake);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (long number = 0; number < 3; number++)
        pthread_create(&threads[number], NULL, sleep_until_woken, (void *)number);
    pthread_mutex_lock(&mutex);
    while (sleepers < 3)
        pthread_cond_wait(&asleep, &mutex);
    pthread_cond_signal(&awake);
    pthread_mutex_unlock(&mutex);
    for (int number = 0; number < 3; number++)
        pthread_join(threads[number], NULL);
    printf("%d\n", first);
    return 0;
}
