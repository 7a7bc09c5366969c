/* Two threads that never stop. */
#include <pthread.h>

static volatile unsigned turns[2];

static void *spin(void *argument) {
    unsigned me = (unsigned)(long)argument, state = me + 1;
    for (;;) {
        state = state * 1103515245u + 12345u;
        if (state & 0x10000) turns[me]++;
        else if (state & 0x20000) turns[me] += 2;
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, spin, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
