// A thread that waits counts how often it looks in a place that only the library knows: no two rounds are the same.
//@ outcomes: 0 1 2
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ready;
static pthread_key_t key;

static void *set(void *unused) {
    atomic_store(&ready, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, NULL);
    pthread_create(&thread, NULL, set, NULL);
    while (!atomic_load(&ready)) {
        char *looks = pthread_getspecific(key);
        if (looks == (char *)2)
            break;
        pthread_setspecific(key, looks + 1);
    }
    pthread_join(thread, NULL);
    printf("%d\n", (int)(long)pthread_getspecific(key));
    return 0;
}
