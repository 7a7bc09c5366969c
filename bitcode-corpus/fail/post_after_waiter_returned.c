// A semaphore on the stack of a function that does not always wait for the post: it may have returned by then.
#include <pthread.h>
#include <semaphore.h>

static sem_t *told;
static volatile int done;

static void *work(void *unused) {
    done = 1;
    sem_post(told); //~ ERROR: use after return
    return unused;
}

__attribute__((noinline)) static void start(pthread_t *thread) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    told = &semaphore;
    pthread_create(thread, NULL, work, NULL);
    if (!done) sem_wait(&semaphore);
}

int main(void) {
    pthread_t thread;
    start(&thread);
    pthread_join(thread, NULL);
    return 0;
}
