// One thread takes part in two rounds of two; who of each pair is the last to arrive is open.
//@ outcomes: 00 01 10 11
//@ flags: --reduction source-sets

#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t first, second;
static int last[2];

static void *arrive_once(void *argument) {
    pthread_barrier_wait(argument);
    return argument;
}

static void *arrive_twice(void *argument) {
    last[0] = pthread_barrier_wait(&first) == PTHREAD_BARRIER_SERIAL_THREAD;
    last[1] = pthread_barrier_wait(&second) == PTHREAD_BARRIER_SERIAL_THREAD;
    return argument;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&first, 0, 2);
    pthread_barrier_init(&second, 0, 2);
    pthread_create(&threads[0], 0, arrive_once, &first);
    pthread_create(&threads[1], 0, arrive_once, &second);
    pthread_create(&threads[2], 0, arrive_twice, 0);
    for (int index = 0; index < 3; index++) pthread_join(threads[index], 0);
    printf("%d%d\n", last[0], last[1]);
    return 0;
}
