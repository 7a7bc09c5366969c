// A thread has ended and nobody joins or detaches it: what it leaves behind is lost. An error only where leaks are
// asked for: the end of the process frees it all.
//@ flags: --check leak
#define _GNU_SOURCE
#include <pthread.h>

static void *run(void *unused) {
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, run, NULL); //~ ERROR: thread leak: T1 run is never joined or detached
    pthread_create(&second, NULL, run, NULL);
    pthread_join(second, NULL);
    return 0;
}
