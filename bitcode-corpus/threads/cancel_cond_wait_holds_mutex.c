// A thread cancelled in a condition wait has the mutex again when its clean-up handler runs.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int unlocked = -1;

static void clean_up(void *unused) {
    (void)unused;
    unlocked = pthread_mutex_unlock(&mutex);
}

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean_up, NULL);
    for (;;)
        pthread_cond_wait(&changed, &mutex);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d,%d\n", result == PTHREAD_CANCELED, unlocked == 0);
    return 0;
}
