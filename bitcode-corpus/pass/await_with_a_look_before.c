// A reader looks once before its loop. At which look it finds what it waits for is no matter.
//@ outcomes: 42
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int word;

static void *write_once(void *unused) {
    atomic_store(&word, 42);
    return unused;
}

int main(void) {
    pthread_t writer;
    pthread_create(&writer, NULL, write_once, NULL);
    int seen = atomic_load(&word);
    while (seen == 0)
        seen = atomic_load(&word);
    printf("%d\n", seen);
    return pthread_join(writer, NULL);
}
