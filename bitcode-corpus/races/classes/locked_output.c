// Lines come in any order, which the lock allows; the race beside them changes nothing.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 10
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int used;

static void *work(void *name) {
    used = 1;
    pthread_mutex_lock(&lock);
    printf("%s\n", (char *)name);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, "one");
    pthread_create(&threads[1], NULL, work, "two");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return used - 1;
}
