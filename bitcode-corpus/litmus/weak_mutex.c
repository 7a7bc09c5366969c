// A mutex hides what was written before it was released.
//@ outcomes[sc,tso,pso,weak]: 00 11

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x, y, r0, r1;

static void *first(void *unused) {
    pthread_mutex_lock(&mutex);
    x = 1;
    y = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&mutex);
    r0 = x;
    r1 = y;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d\n", r0, r1);
    return 0;
}
