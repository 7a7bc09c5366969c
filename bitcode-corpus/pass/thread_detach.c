// A detached thread runs to its end without being joined.
//@ native
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static int result;

static void *work(void *unused) {
    result = 6 * 7;
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    int error = pthread_detach(thread);
    sem_wait(&done);
    printf("%d %d\n", error, result);
    return 0;
}
