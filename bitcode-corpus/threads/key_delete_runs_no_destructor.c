// Deleting a key leaves its values alone.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int ran;

static void destroy(void *unused) {
    (void)unused;
    ran = 1;
}

static void *run(void *unused) {
    pthread_key_t key;
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &key);
    pthread_key_delete(key);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", ran);
    return 0;
}
