// A thread created detached through its attribute.
//@ native
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;

static void *work(void *unused) {
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    int state;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&attributes, &state);
    pthread_create(&thread, &attributes, work, NULL);
    pthread_attr_destroy(&attributes);
    sem_wait(&done);
    printf("%d\n", state == PTHREAD_CREATE_DETACHED);
    return 0;
}
