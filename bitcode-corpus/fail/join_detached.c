// A detached thread cannot be joined.
#define _GNU_SOURCE
#include <pthread.h>

static void *run(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
    pthread_join(thread, NULL); //~ ERROR: join of T1 run, which is detached
    return 0;
}
