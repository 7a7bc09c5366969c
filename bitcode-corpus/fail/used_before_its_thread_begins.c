// The thread has mostly prepared all when it is used; nothing makes sure that it has even begun.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ready;

static void *prepare(void *unused) {
    __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, prepare, NULL);
    usleep(50000);
    assert(__atomic_load_n(&ready, __ATOMIC_SEQ_CST)); //~ ERROR: ready
    pthread_join(thread, NULL);
    return 0;
}
