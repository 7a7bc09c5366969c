// A destroyed condition variable is signalled.
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    pthread_cond_destroy(&changed);
    pthread_cond_signal(&changed); //~ ERROR: use of a destroyed condition variable
    return 0;
}
