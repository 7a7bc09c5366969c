// The handle is stored where the creator said; the new thread calls itself by the same.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_t handle, own;

static void *run(void *unused) {
    own = pthread_self();
    return unused;
}

int main(void) {
    pthread_create(&handle, NULL, run, NULL);
    pthread_join(handle, NULL);
    printf("%d\n", pthread_equal(handle, own) != 0);
    return 0;
}
