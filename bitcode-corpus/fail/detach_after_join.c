// A thread that was joined is no thread any more.
#define _GNU_SOURCE
#include <pthread.h>

static void *run(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    pthread_detach(thread); //~ ERROR: detach of T1 run, which is joined already
    return 0;
}
