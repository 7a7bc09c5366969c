// Figure 31 d, repaired: behind the barrier the old x is gone for all models with a memory; main, whom nothing orders, can still read it under the weak one.
//@ races: k-witness-harmless at 17 24
//@ races[sc,tso,pso]: k-witness-harmless at 17 35
//@ races[weak]: spec-violated at 17 35
//@ races[sc,tso,pso]: k-witness-harmless at 19 34
//@ races[weak]: spec-violated at 19 34
//@ races[sc,tso,pso]: k-witness-harmless at 24 35
//@ races[weak]: spec-violated at 24 35
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int volatile globalx, globaly;
pthread_barrier_t barrier;

static void *work0(void *unused) {
    globalx = 2;
    pthread_barrier_wait(&barrier);
    globaly = 1;
    return unused;
}

static void *work1(void *unused) {
    globalx = 2;
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t t0, t1;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t0, NULL, work0, NULL);
    pthread_create(&t1, NULL, work1, NULL);
    int y = globaly;
    int x = globalx;
    assert(!(x == 0 && y == 1));
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
