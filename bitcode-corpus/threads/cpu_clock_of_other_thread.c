// Another thread's clock can be had as long as that has not ended.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
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
    clockid_t clock;
    struct timespec time;
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    printf("%d", pthread_getcpuclockid(thread, &clock));
    printf(",%d\n", clock_gettime(clock, &time));
    sem_post(&go);
    pthread_join(thread, NULL);
    return 0;
}
