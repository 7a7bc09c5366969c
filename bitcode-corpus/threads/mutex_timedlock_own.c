// With a deadline, too, an error-checking mutex says that the caller has it, and a recursive one counts.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    struct timespec past = {0};
    pthread_mutex_lock(&checking);
    pthread_mutex_lock(&recursive);
    printf("%d", pthread_mutex_timedlock(&checking, &past) == EDEADLK);
    printf(",%d\n", pthread_mutex_timedlock(&recursive, &past));
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&checking);
    return 0;
}
