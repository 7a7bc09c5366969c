// A semaphore that has a unit: the wait that comes first takes it, and the try in front of the post finds none.
//@ outcomes: 01 10
//@ again: --reduction source-sets

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t one, none;
static int tried;

static void *try_to_take(void *argument) {
    tried = sem_trywait(&one) == 0;
    return argument;
}

static void *take(void *argument) {
    sem_trywait(&none);
    sem_wait(&one);
    return argument;
}

static void *give(void *argument) {
    sem_post(&one);
    return argument;
}

int main(void) {
    pthread_t threads[3];
    int left;
    sem_init(&one, 0, 1);
    sem_init(&none, 0, 0);
    pthread_create(&threads[0], 0, try_to_take, 0);
    pthread_create(&threads[1], 0, take, 0);
    pthread_create(&threads[2], 0, give, 0);
    for (int index = 0; index < 3; index++) pthread_join(threads[index], 0);
    sem_getvalue(&one, &left);
    printf("%d%d\n", tried, left);
    return 0;
}
