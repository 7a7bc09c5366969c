// What each thread stores before a barrier the other sees after it; the barrier is reused.
//@ outcomes: 2112
//@ native
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int phase_one[2], phase_two[2];

static void *work(void *argument) {
    intptr_t self = (intptr_t)argument;
    phase_one[self] = (int)self + 1;
    pthread_barrier_wait(&barrier);
    phase_two[self] = phase_one[1 - self];
    pthread_barrier_wait(&barrier);
    phase_one[self] = phase_two[1 - self];
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&other, NULL, work, (void *)1);
    work((void *)0);
    pthread_join(other, NULL);
    printf("%d%d%d%d\n", phase_two[0], phase_two[1], phase_one[0], phase_one[1]);
    return 0;
}
