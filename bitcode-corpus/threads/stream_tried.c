// Whether a stream is had by another thread depends on when it is tried.
//@ outcomes: 0 1
//@ again: --reduction source-sets
//@ again: --check race
#include <pthread.h>
#include <stdio.h>

static void *hold(void *unused) {
    (void)unused;
    flockfile(stdout);
    funlockfile(stdout);
    return NULL;
}

int main(void) {
    pthread_t holder;
    pthread_create(&holder, NULL, hold, NULL);
    int busy = ftrylockfile(stdout) != 0;
    if (!busy)
        funlockfile(stdout);
    pthread_join(holder, NULL);
    printf("%d\n", busy);
    return 0;
}
