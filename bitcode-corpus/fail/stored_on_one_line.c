// Two stores are on one line: a fence before the line does not keep the second behind the first.
#include <assert.h>
#include <pthread.h>

volatile int item, ready;

static void *publish(void *unused) {
    item = 1; ready = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    if (ready)
        assert(item); //~[pso] ERROR: assertion failed
    pthread_join(thread, NULL);
    return 0;
}
