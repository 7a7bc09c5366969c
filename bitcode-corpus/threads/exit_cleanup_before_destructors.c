// Clean-up handlers come before the destructors of thread-specific values.
//@ outcomes: 12
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int order;

static void destroy(void *unused) {
    (void)unused;
    order = order * 10 + 2;
}

static void clean_up(void *unused) {
    (void)unused;
    order = order * 10 + 1;
}

static void *run(void *unused) {
    pthread_setspecific(key, &order);
    pthread_cleanup_push(clean_up, NULL);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", order);
    return 0;
}
