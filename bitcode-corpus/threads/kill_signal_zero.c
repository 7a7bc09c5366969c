// Signal 0 only asks whether one could send; numbers that are no signal are refused.
//@ outcomes: 0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int main(void) {
    printf("%d", pthread_kill(pthread_self(), 0));
    printf(",%d\n", pthread_kill(pthread_self(), 1000) == EINVAL);
    return 0;
}
