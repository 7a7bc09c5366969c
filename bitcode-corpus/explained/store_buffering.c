// Each of two threads raises its flag and finds the other's down: stores are late.
#include <assert.h>
#include <pthread.h>

static volatile int flags[2], found[2];

static void *raise_flag(void *number) {
    int own = number != NULL;
    flags[own] = 1;
    found[own] = flags[!own];
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, raise_flag, NULL);
    pthread_create(&threads[1], NULL, raise_flag, threads);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(found[0] || found[1]); //~[tso,pso] ERROR: assertion failed
    return 0;
}
