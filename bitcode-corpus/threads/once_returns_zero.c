// pthread_once answers 0 whether or not it ran the routine.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;

static void nothing(void) {}

int main(void) {
    printf("%d", pthread_once(&control, nothing));
    printf(",%d\n", pthread_once(&control, nothing));
    return 0;
}
