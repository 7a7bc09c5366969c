// What the system says of threads agrees with the headers.
//@ outcomes: 1,1,1,1
//@ native
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    printf("%d", sysconf(_SC_THREAD_STACK_MIN) == PTHREAD_STACK_MIN);
    printf(",%d", sysconf(_SC_THREAD_KEYS_MAX) >= PTHREAD_KEYS_MAX);
    printf(",%d", sysconf(_SC_THREAD_DESTRUCTOR_ITERATIONS) == PTHREAD_DESTRUCTOR_ITERATIONS);
    printf(",%d\n", sysconf(_SC_SEM_VALUE_MAX) > 32766);
    return 0;
}
