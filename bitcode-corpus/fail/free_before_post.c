// A semaphore in an object that another thread may free first.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t *semaphore;

static void *use(void *unused) {
    sem_post(semaphore); //~ ERROR: use after free
    return unused;
}

static void *drop(void *unused) {
    free(semaphore);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    semaphore = malloc(sizeof *semaphore);
    sem_init(semaphore, 0, 0);
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, drop, NULL);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    return 0;
}
