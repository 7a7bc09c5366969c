// Two threads create one each, so that numbers of threads are learned; it fails where the first of these two is not there as yet.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int created;

static void *nothing(void *unused) {
    return unused;
}

static void *create(void *is_first) {
    pthread_t thread;
    if (is_first)
        assert(atomic_load(&created) == 0); //~ ERROR: assertion failed
    pthread_create(&thread, NULL, nothing, NULL);
    atomic_fetch_add(&created, 1);
    pthread_join(thread, NULL);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, create, &created);
    pthread_create(&threads[1], NULL, create, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
