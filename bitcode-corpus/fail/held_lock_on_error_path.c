// An error path ends the process inside the section that it happened in.
//@ flags: --check held-lock
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void fail(void) {
    exit(0); //~ ERROR: main holds `mutex` when the process ends
}

int main(void) {
    void *memory = malloc(16);
    pthread_mutex_lock(&mutex);
    if (memory != NULL)
        fail();
    pthread_mutex_unlock(&mutex);
    return 0;
}
