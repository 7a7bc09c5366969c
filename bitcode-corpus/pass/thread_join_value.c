// Joining a thread yields the pointer its start function returned.
//@ native
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *square(void *argument) {
    intptr_t n = (intptr_t)argument;
    return (void *)(n * n);
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, square, (void *)(i + 5));
    for (int i = 0; i < 2; i++) {
        void *value;
        int error = pthread_join(threads[i], &value);
        printf("%d %ld\n", error, (long)(intptr_t)value);
    }
    return 0;
}
