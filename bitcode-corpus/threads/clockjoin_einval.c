// A clock that cannot limit a join.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t go;

static void *run(void *unused) {
    sem_wait(&go);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec past = {.tv_sec = 1};
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    printf("%d", pthread_clockjoin_np(thread, NULL, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
    sem_post(&go);
    printf(",%d\n", pthread_join(thread, NULL));
    return 0;
}
