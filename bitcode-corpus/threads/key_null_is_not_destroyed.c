// A value that is null has no destructor run.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int ran;

static void destroy(void *unused) {
    (void)unused;
    ran++;
}

static void *run(void *unused) {
    pthread_setspecific(key, &ran);
    pthread_setspecific(key, NULL);
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
