// A destroyed mutex is locked.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_destroy(&mutex);
    pthread_mutex_lock(&mutex); //~ ERROR: use of a destroyed mutex
    return 0;
}
