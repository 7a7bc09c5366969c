// Figure 31 c: the barrier keeps the stores in order; main reads before it joins.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 14 21
//@ races[sc,tso,pso,weak]: output-differs at 14 32
//@ races[sc,tso,pso,weak]: output-differs at 16 31
//@ races[sc,tso,pso,weak]: output-differs at 21 32
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
    printf("%d,%d", x, y);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
