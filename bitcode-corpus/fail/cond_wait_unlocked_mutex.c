// A condition wait with a mutex that nobody holds.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    pthread_cond_wait(&changed, &mutex); //~ ERROR: wait on a condition variable with a mutex the thread does not own
    return 0;
}
