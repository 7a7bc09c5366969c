// Exactly one of the threads that meet at a barrier is told that it is the serial one.
//@ outcomes: 1
//@ native
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_barrier_t barrier;

static void *meet(void *unused) {
    (void)unused;
    return (void *)(intptr_t)(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
}

int main(void) {
    pthread_t threads[2];
    int serial = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, meet, NULL);
    for (int i = 0; i < 2; i++) {
        void *value;
        pthread_join(threads[i], &value);
        serial += (int)(intptr_t)value;
    }
    pthread_barrier_destroy(&barrier);
    printf("%d\n", serial);
    return 0;
}
