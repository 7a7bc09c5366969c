// A once routine that uses its own control waits for itself.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;

static void initialise(void) {
    pthread_once(&control, initialise); //~ ERROR: waits for the routine of the once control `control`, run by itself
}

int main(void) {
    pthread_once(&control, initialise);
    return 0;
}
