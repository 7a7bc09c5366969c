// A barrier has no static initialiser.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_barrier_t barrier;

int main(void) {
    pthread_barrier_wait(&barrier); //~ ERROR: use of a barrier that was never initialised
    return 0;
}
