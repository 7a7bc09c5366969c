// Nobody fails, but the total is wrong if it is doubled first: as many digits, other ones.
//@ outcomes: 25 30
#include <pthread.h>
#include <stdio.h>

static int total = 10;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *twice(void *unused) {
    pthread_mutex_lock(&mutex);
    total *= 2;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *five_more(void *unused) {
    pthread_mutex_lock(&mutex);
    total += 5;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, twice, NULL);
    pthread_create(&threads[1], NULL, five_more, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d\n", total);
    return 0;
}
