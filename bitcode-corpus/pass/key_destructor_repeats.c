// A destructor that stores a new value into its key is run again.
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int runs;

static void destroy(void *value) {
    runs++;
    if (runs == 1)
        pthread_setspecific(key, value);
}

static void *start(void *unused) {
    pthread_setspecific(key, &runs);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", runs);
    return 0;
}
