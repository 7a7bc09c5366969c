// Three threads come to a barrier of two: which two meet first is open, though nobody looks at the results.
//@ outcomes: 110 101 011
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static sem_t met;
static int passed[3];

static void *run(void *mine) {
    pthread_barrier_wait(&barrier);
    *(int *)mine = 1;
    sem_post(&met);
    return NULL;
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&met, 0, 0);
    for (int index = 0; index < 3; index++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, &passed[index]);
        pthread_detach(thread);
    }
    sem_wait(&met);
    sem_wait(&met);
    printf("%d%d%d\n", passed[0], passed[1], passed[2]);
    return 0;
}
