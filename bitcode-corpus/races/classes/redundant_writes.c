// Portend's RW: threads that race to write the same value.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 8
#include <pthread.h>

int ready;

static void *work(void *unused) {
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return ready == 1 ? 0 : 1;
}
