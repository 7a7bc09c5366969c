// A bound on preemptions, or on delays, grows until it cuts no schedule: then all were explored.
//@ again: --search preemptions
//@ again: --search delays
//@ outcomes: 1 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;

static void *add(void *unused) {
    int seen = x;
    x = seen + 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", x);
    return 0;
}
