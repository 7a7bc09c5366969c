// And with a join.
//@ outcomes: 1 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void *run(void *unused) {
    usleep(50000);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 30;
    pthread_create(&thread, NULL, run, NULL);
    int joined = pthread_timedjoin_np(thread, NULL, &limit) == 0;
    if (!joined)
        pthread_join(thread, NULL);
    printf("%d\n", joined);
    return 0;
}
