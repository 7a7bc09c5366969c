// Sleep is a cancellation point; it may be over before the request.
//@ outcomes: 1 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void *run(void *unused) {
    struct timespec long_time = {.tv_sec = 1000};
    nanosleep(&long_time, NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
