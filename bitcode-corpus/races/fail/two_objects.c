// Two counters, and no lock for either.
//@ flags: --check race
#include <pthread.h>

int first, second;

static void *count(void *unused) {
    first++; //~ ERROR: data race on `first`
    second++; //~ ERROR: data race on `second`
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, count, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
