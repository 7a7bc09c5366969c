// A destructor that sets its value again is run again, a limited number of times.
//@ outcomes: 4
//@ native
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int rounds;

static void destroy(void *value) {
    rounds++;
    pthread_setspecific(key, value);
}

static void *run(void *unused) {
    pthread_setspecific(key, &rounds);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", rounds);
    return PTHREAD_DESTRUCTOR_ITERATIONS != 4;
}
