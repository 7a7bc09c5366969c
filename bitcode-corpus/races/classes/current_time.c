// Figure 28 c, from memcached: the clock thread sets the time that a worker writes out.
//@ races[sc,tso,pso,weak]: output-differs at 9 14
#include <pthread.h>
#include <stdio.h>

int current_time = 1;

static void *clock_handler(void *unused) {
    current_time = 2;
    return unused;
}

static void *process_stat(void *unused) {
    printf("time %d\n", current_time);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, clock_handler, NULL);
    pthread_create(&threads[1], NULL, process_stat, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
