// Two threads take two mutexes in opposite order: the report names the whole cycle, and where each lock was taken.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;

static void *leftwards(void *unused) {
    pthread_mutex_lock(&right); //~ NOTE: `right` acquired by
    pthread_mutex_lock(&left);
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, leftwards, NULL);
    pthread_mutex_lock(&left); //~ NOTE: `left` acquired by
    pthread_mutex_lock(&right); //~ ERROR: T0 main waits for the mutex `right`, held by T1 leftwards, which waits for the mutex `left`, held by T0 main
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    pthread_join(thread, NULL);
    return 0;
}
