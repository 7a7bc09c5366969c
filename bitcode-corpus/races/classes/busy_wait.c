// Figure 28 d, from pbzip2: a flag that is no synchronisation orders the block behind it. (The race on the flag itself is
// one of either order: who looks too early looks again.)
//@ races[pso,weak]: output-differs at 11 19
//@ races[sc,tso]: single-ordering at 11 19
//@ races: k-witness-harmless at 12 17
#include <pthread.h>
#include <stdio.h>

int block, all_done;
static void *produce(void *unused) {
    block = 7;
    *(volatile int *)&all_done = 1;
    return unused;
}

static void *consume(void *unused) {
    while (!*(volatile int *)&all_done)
        ;
    printf("%d\n", block);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, consume, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
