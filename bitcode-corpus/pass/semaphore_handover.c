// A semaphore hands data from one thread to another under every model.
//@ outcomes: 12
//@ native
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t filled;
static int first, second;

static void *produce(void *unused) {
    first = 1;
    second = 2;
    sem_post(&filled);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&filled, 0, 0);
    pthread_create(&thread, NULL, produce, NULL);
    sem_wait(&filled);
    printf("%d%d\n", first, second);
    pthread_join(thread, NULL);
    sem_destroy(&filled);
    return 0;
}
