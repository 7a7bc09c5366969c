// As bbuf: a buffer whose counters nobody guards. Which item a consumer writes out depends on all of its races.
//@ races[pso,weak]: output-differs at 11 18
//@ races[sc,tso]: single-ordering at 11 18
//@ races: output-differs at 12 16
#include <pthread.h>
#include <stdio.h>

int buffer[4], head, tail;

static void put(int item) {
    buffer[head % 4] = item;
    head = head + 1;
}

static int get(void) {
    if (tail >= head)
        return -1;
    int item = buffer[tail % 4];
    tail = tail + 1;
    return item;
}

static void *produce(void *unused) {
    put(5);
    return unused;
}

static void *consume(void *unused) {
    printf("%d\n", get());
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
