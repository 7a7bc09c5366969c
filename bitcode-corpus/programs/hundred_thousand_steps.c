// A hundred thousand steps: two threads count in words that both use, and the last one to come back says who was late.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 25000
#endif
enum { WORDS = 4 };
static volatile int words[WORDS];
static volatile int late;

static void *count(void *which) {
    for (int i = 0; i < ROUNDS; i++)
        words[i % WORDS] = words[i % WORDS] + 1;
    late = (int)(intptr_t)which;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(late == 0); //~ ERROR: assertion failed
    return 0;
}
