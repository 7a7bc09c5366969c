// A handler may post.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static sem_t semaphore;

static void handle(int signal) {
    (void)signal;
    sem_post(&semaphore);
}

int main(void) {
    int value;
    sem_init(&semaphore, 0, 0);
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    sem_getvalue(&semaphore, &value);
    printf("%d\n", value);
    return 0;
}
