// A deferred request waits for the next cancellation point; what comes before is done.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t go;
static int done;

static void *run(void *unused) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_wait(&go);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    done = 1;
    pthread_testcancel();
    done = 2;
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    sem_post(&go);
    pthread_join(thread, &result);
    printf("%d,%d\n", result == PTHREAD_CANCELED, done);
    return 0;
}
