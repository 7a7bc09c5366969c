// Who joins a thread that has ended but whose store is still on its way waits for the store: with a request to cancel it ends, else it
// has the store behind it, as the thread that joins it in turn.
//@ outcomes: 02 10 12
#include <pthread.h>
#include <stdio.h>

static int stored;
static pthread_t joined;

static void *store(void *unused) {
    stored = 2;
    return unused;
}

static void *join(void *unused) {
    pthread_create(&joined, NULL, store, NULL);
    pthread_join(joined, NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, join, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d%d\n", result == PTHREAD_CANCELED, __atomic_load_n(&stored, __ATOMIC_RELAXED));
}
