// Returning from main ends the process, not its threads one by one: no destructor is run.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void destroy(void *unused) {
    (void)unused;
    puts("destroyed");
}

int main(void) {
    pthread_key_t key;
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &key);
    puts("0");
    return 0;
}
