// A detached thread is not joined.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static int done;

static int run(void *unused) {
    (void)unused;
    mtx_lock(&mutex);
    done = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&thread, run, NULL);
    printf("%d\n", thrd_detach(thread) == thrd_success);
    mtx_lock(&mutex);
    while (!done)
        cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    pthread_exit(NULL);
}
