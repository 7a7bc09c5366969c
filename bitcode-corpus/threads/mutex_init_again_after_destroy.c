// A destroyed mutex may be made anew.
//@ outcomes: 0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_destroy(&mutex);
    printf("%d", pthread_mutex_init(&mutex, NULL));
    printf(",%d", pthread_mutex_lock(&mutex));
    printf(",%d\n", pthread_mutex_unlock(&mutex));
    pthread_mutex_destroy(&mutex);
    return 0;
}
