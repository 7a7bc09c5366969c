// Each static initialiser makes a mutex of its type.
//@ outcomes: 0,0,1,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

int main(void) {
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&checking);
    pthread_mutex_lock(&adaptive);
    printf("%d", pthread_mutex_unlock(&plain));
    printf(",%d", pthread_mutex_lock(&recursive));
    printf(",%d", pthread_mutex_lock(&checking) == EDEADLK);
    printf(",%d", pthread_mutex_unlock(&checking));
    printf(",%d\n", pthread_mutex_unlock(&adaptive));
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    return 0;
}
