// Two threads create threads, so that their numbers depend on the schedule.
//@ races: k-witness-harmless at 12 18
//@ races: output-differs at 12 24
//@ races: output-differs at 18 24
#include <pthread.h>
#include <stdio.h>

int volatile x;
int seen;

static void *write(void *unused) {
    x = 1;
    return unused;
}
static void *create(void *unused) {
    pthread_t inner;
    pthread_create(&inner, NULL, write, NULL);
    x = 1;
    pthread_join(inner, NULL);
    return unused;
}

static void *read(void *unused) {
    seen = x;
    return unused;
}

int main(void) {
    pthread_t creator, reader;
    pthread_create(&creator, NULL, create, NULL);
    pthread_create(&reader, NULL, read, NULL);
    pthread_join(creator, NULL);
    pthread_join(reader, NULL);
    printf("%d", seen);
    return 0;
}
