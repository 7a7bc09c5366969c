// A loop that ends only if the thread looks early enough: nobody changes `stop` back.
//@ races[sc,tso,pso,weak]: spec-violated at 8 13
#include <pthread.h>

int closed;

static void *close_down(void *unused) {
    closed = 1;
    return unused;
}

static void *serve(void *unused) {
    int seen = closed;
    while (*(volatile int *)&seen)
        ;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, close_down, NULL);
    pthread_create(&threads[1], NULL, serve, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
