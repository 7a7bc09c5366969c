/* Two threads mix a shared array without any lock: each step reads two places that the other may be writing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 64 };

static unsigned array[PLACES];
static long turns;

static unsigned mix(unsigned a, unsigned b) {
    unsigned sum = a + b;
    if (sum & 1) sum = (sum << 7) ^ (sum >> 3);
    else sum = (sum >> 5) + (sum << 11);
    return sum ^ 0x9E3779B9u;
}

static void *worker(void *argument) {
    unsigned place = (unsigned)(long)argument;
    for (long turn = 0; turn < turns; turn++) {
        unsigned next = array[place] % PLACES;
        array[place] = mix(array[place], array[next]);
        place = (place + next + 1) % PLACES;
        if (array[place] < array[next]) array[next]++;
    }
    return NULL;
}

int main(int count, char **arguments) {
    turns = count > 1 ? atol(arguments[1]) : 20000000;
    for (unsigned i = 0; i < PLACES; i++) array[i] = i * 2654435761u;
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    unsigned sum = 0;
    for (unsigned i = 0; i < PLACES; i++) sum ^= array[i];
    printf("%u\n", sum);
    return 0;
}
