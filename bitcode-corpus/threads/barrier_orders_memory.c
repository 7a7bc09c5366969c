// What was written before a barrier is seen after it, by all.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int left, right, seen_left, seen_right;

static void *run(void *unused) {
    left = 1;
    pthread_barrier_wait(&barrier);
    seen_right = right;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, run, NULL);
    right = 1;
    pthread_barrier_wait(&barrier);
    seen_left = left;
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    printf("%d,%d\n", seen_left, seen_right);
    return 0;
}
