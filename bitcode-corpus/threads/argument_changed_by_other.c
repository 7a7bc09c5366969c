// A call reads memory through its argument. Another thread writes there before or after that.
//@ outcomes: 0 -1
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static struct timespec duration;

static void *spoil(void *unused) {
    duration.tv_nsec = -5;
    return unused;
}

int main(void) {
    pthread_t spoiling;
    pthread_create(&spoiling, NULL, spoil, NULL);
    printf("%d\n", nanosleep(&duration, NULL));
    return 0;
}
