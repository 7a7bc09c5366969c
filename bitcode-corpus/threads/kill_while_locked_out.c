// A thread that waits for a mutex handles a signal and goes on waiting.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t handled;
static int got;

static void handle(int signal) {
    (void)signal;
    sem_post(&handled);
}

static void *run(void *unused) {
    got = pthread_mutex_lock(&mutex) == 0;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sem_init(&handled, 0, 0);
    signal(SIGUSR1, handle);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, run, NULL);
    pthread_kill(thread, SIGUSR1);
    sigemptyset(&set);
    while (sem_wait(&handled))
        ;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("%d,1\n", got);
    return 0;
}
