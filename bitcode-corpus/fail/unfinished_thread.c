// The process ends while a worker waits for another job: no thread signals that there is none, and none joins it.
//@ flags: --check unfinished-thread
//@ again: --reduction source-sets
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t jobs, done;

static void *work(void *unused) {
    for (;;) {
        sem_wait(&jobs); //~ NOTE: T1 work has come to here
        sem_post(&done);
    }
    return unused;
}

int main(void) { //~ ERROR: the process ends before T1 work
    pthread_t worker;
    sem_init(&jobs, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&worker, NULL, work, NULL);
    sem_post(&jobs);
    sem_wait(&done);
    return 0;
}
