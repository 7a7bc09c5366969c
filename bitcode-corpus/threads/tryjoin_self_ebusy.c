// pthread_tryjoin_np does not wait, so a thread that asks for itself is not deadlocked: it runs. pthread_timedjoin_np would wait.
//@ outcomes: EBUSY,EDEADLK
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    struct timespec past = { 1, 0 };
    int tried = pthread_tryjoin_np(pthread_self(), NULL);
    int timed = pthread_timedjoin_np(pthread_self(), NULL, &past);
    printf("%s,%s\n", tried == EBUSY ? "EBUSY" : "?", timed == EDEADLK ? "EDEADLK" : "?");
    return 0;
}
