// exit by any thread ends the process, whatever others wait for.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t never;

static void *run(void *unused) {
    sem_wait(&never);
    puts("never");
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    puts("0");
    exit(0);
}
