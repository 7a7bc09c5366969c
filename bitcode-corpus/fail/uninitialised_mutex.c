// A mutex that was never initialised.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *volatile mutex;

int main(void) {
    mutex = malloc(sizeof *mutex);
    pthread_mutex_lock(mutex); //~ ERROR: uninitialised memory: `pthread_mutex_lock` depends on
    pthread_mutex_unlock(mutex);
    return 0;
}
