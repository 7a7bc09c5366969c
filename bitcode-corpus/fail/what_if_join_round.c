// A thread's end that is assumed to be waited for, and what it waits for itself, are a circle.
//@ flags: --what-if join:what_if_join_round.c:18
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t told;

static void *wait(void *unused) {
    sem_wait(&told); //~ NOTE: waits for
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&told, 0, 0);
    pthread_create(&thread, NULL, wait, NULL);
    sem_post(&told); //~ ERROR: T1 wait, which it created, to terminate
    pthread_join(thread, NULL);
    return 0;
}
