// A call reads through its argument the store of its own thread, even if that is in the store buffer.
//@ outcomes: -1
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static struct timespec duration;

static void *look(void *unused) {
    if (duration.tv_nsec == 7) duration.tv_sec = 0;
    return unused;
}

int main(void) {
    pthread_t looking;
    pthread_create(&looking, NULL, look, NULL);
    duration.tv_nsec = -5;
    printf("%d\n", nanosleep(&duration, NULL));
    return 0;
}
