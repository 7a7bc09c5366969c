// One wait may be ended by either of two posts.
//@ flags: --check race
#include <pthread.h>
#include <semaphore.h>

sem_t semaphore;
int data, seen;

static void *three(void *unused) {
    sem_wait(&semaphore);
    seen = data; //~ ERROR: data race on `data`
    return unused;
}

static void *one(void *unused) {
    data = 1;
    sem_post(&semaphore);
    return unused;
}

static void *two(void *unused) {
    sem_post(&semaphore);
    return unused;
}

int main(void) {
    sem_init(&semaphore, 0, 0);
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_create(&threads[2], NULL, three, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
