// Two threads meet at a semaphore that each has opened by its name.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char name[32];

static void *run(void *unused) {
    sem_t *semaphore = sem_open(name, 0);
    sem_post(semaphore);
    sem_close(semaphore);
    return unused;
}

int main(void) {
    pthread_t thread;
    snprintf(name, sizeof name, "/symx-t-%d", (int)getpid());
    sem_t *semaphore = sem_open(name, O_CREAT, 0600, 0);
    pthread_create(&thread, NULL, run, NULL);
    printf("%d\n", sem_wait(semaphore));
    pthread_join(thread, NULL);
    sem_close(semaphore);
    sem_unlink(name);
    return 0;
}
