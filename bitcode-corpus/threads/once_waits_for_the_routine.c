// Who calls pthread_once while another thread is in the routine returns when that is done.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int ready, seen[2];

static void initialise(void) {
    sched_yield();
    ready = 1;
}

static void *run(void *result) {
    pthread_once(&control, initialise);
    *(int *)result = ready;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, run, &seen[number]);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    printf("%d,%d\n", seen[0], seen[1]);
    return 0;
}
