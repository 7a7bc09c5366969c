// A number of 16 bytes is stored by one store, which reaches other threads as a whole under every model.
//@ cflags: -O1 -mcx16
//@ outcomes[sc,tso,pso]: 0-0 1-1
#include <pthread.h>
#include <stdio.h>

static __int128 number;

static void *work(void *argument) {
    (void)argument;
    number = ((__int128)1 << 64) | 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    __int128 seen = number;
    pthread_join(thread, NULL);
    printf("%d-%d\n", (int)(seen >> 64), (int)seen);
    return 0;
}
