// A message is announced before it is there: stores overtake each other.
#include <assert.h>
#include <pthread.h>

static volatile int message, is_there;

static void *send(void *unused) {
    message = 42;
    is_there = 1;
    return unused;
}

static void *receive(void *unused) {
    if (is_there)
        assert(message == 42); //~[pso] ERROR: assertion failed
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, send, NULL);
    pthread_create(&threads[1], NULL, receive, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
