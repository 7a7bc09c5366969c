// Breadth first explores the same paths as depth first, once each; each thread's steps are still reduced.
//@ flags: --search bfs
//@ executions[sc]: 8
//@ outcomes: 00 01 10 11
#include <klee/klee.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *add(void *by) {
    pthread_mutex_lock(&mutex);
    shared += *(int *)by;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    unsigned char bits;
    klee_make_symbolic(&bits, sizeof bits, "bits");
    volatile int low = bits & 1 ? 1 : 0, high = 0;
    if (low)
        high = 0;
    if (bits & 2)
        high = 1;
    int by[2] = {low, high};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, &by[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (shared != by[0] + by[1])
        puts("wrong");
    printf("%c%c\n", "01"[by[0]], "01"[by[1]]);
    return 0;
}
