// Figure 28 b, from ctrace: the level of a trace is set to what it is by whoever comes.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 10
//@ races: k-witness-harmless at 10 15
#include <pthread.h>
#include <stdio.h>

int level = 1;

static void *open_trace(void *unused) {
    level = 1;
    return unused;
}

static void *trace(void *unused) {
    if (level > 0)
        puts("traced");
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, open_trace, NULL);
    pthread_create(&threads[1], NULL, open_trace, NULL);
    pthread_create(&threads[2], NULL, trace, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
