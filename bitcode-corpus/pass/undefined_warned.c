// Undefined behaviour that machines forgive is warned of on request, in each thread, and the program goes on.
//@ flags: --undefined all=warn
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    volatile int largest = INT_MAX;
    volatile int wrapped = largest + 1; //~ WARNING: signed overflow
    pthread_mutex_lock(&lock);
    counter += wrapped < 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    char *bytes = malloc(16);
    if (bytes[3] == 0) //~ WARNING: uninitialised
        counter++;
    *(int *)(bytes + 1) = 4; //~ WARNING: misaligned write
    printf("%d\n", counter);
    free(bytes);
    return 0;
}
