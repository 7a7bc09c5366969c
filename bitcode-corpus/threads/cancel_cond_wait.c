// A thread cancelled in a wait has the mutex back while its clean-up routines run.
//@ outcomes: cleaned,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void unlock(void *unused) {
    (void)unused;
    printf("cleaned");
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    printf(",%d\n", result == PTHREAD_CANCELED);
    return 0;
}
