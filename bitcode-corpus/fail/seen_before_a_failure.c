// What a thread did in the step in which it fails is there for others before it fails: they can fail first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stored;

static void *store(void *fails) {
    atomic_store(&stored, 1);
    assert(fails == NULL); //~ ERROR: assertion failed
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, store, &thread);
    assert(atomic_load(&stored) == 0); //~ ERROR: assertion failed
    pthread_join(thread, NULL);
    return 0;
}
