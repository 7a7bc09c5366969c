// Destructors also run for a thread that is cancelled.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int ran;

static void destroy(void *unused) {
    (void)unused;
    ran = 1;
}

static void *run(void *unused) {
    pthread_setspecific(key, &ran);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", ran);
    return 0;
}
