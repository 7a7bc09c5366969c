// A signal to a thread is handled by that thread.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static pthread_t handler_thread;
static sem_t ready, handled;

static void handle(int signal) {
    (void)signal;
    handler_thread = pthread_self();
    sem_post(&handled);
}

static void *run(void *unused) {
    sem_post(&ready);
    while (sem_wait(&handled))
        ;
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&handled, 0, 0);
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("%d\n", pthread_equal(handler_thread, thread) != 0);
    return 0;
}
