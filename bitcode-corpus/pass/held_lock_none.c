// The process ends beside a thread that has its sections behind it, and one whose lock was never taken.
//@ flags: --check held-lock
//@ again: --reduction source-sets
//@ native
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int count;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    sem_wait(&done);
    printf("%d\n", count);
    return 0;
}
