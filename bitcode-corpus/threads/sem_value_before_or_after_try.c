// Asking for a semaphore's value comes before or after the operation that changes it.
//@ outcomes: 0 1

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t semaphore;
static int value;

static void *ask(void *argument) {
    int now;
    sem_getvalue(&semaphore, &now);
    value = now;
    return argument;
}

static void *take(void *argument) {
    sem_trywait(&semaphore);
    return argument;
}

int main(void) {
    pthread_t one, other;
    sem_init(&semaphore, 0, 1);
    pthread_create(&one, 0, ask, 0);
    pthread_create(&other, 0, take, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%d\n", value);
    return 0;
}
