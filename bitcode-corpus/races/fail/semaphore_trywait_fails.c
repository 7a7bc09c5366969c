// A trywait that fails orders nothing.
//@ flags: --check race
#include <pthread.h>
#include <semaphore.h>

sem_t semaphore;
int data, seen;

static void *one(void *unused) {
    data = 1; //~ ERROR: data race on `data`
    sem_post(&semaphore);
    return unused;
}

static void *two(void *unused) {
    if (sem_trywait(&semaphore) != 0)
        seen = data;
    return unused;
}

int main(void) {
    sem_init(&semaphore, 0, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
