// Figure 31 b, repaired: main reads y first, and the new y with the old x is the failure. Stores have to change places.
//@ races: k-witness-harmless at 16 22
//@ races[sc,tso]: k-witness-harmless at 16 31
//@ races[pso,weak]: spec-violated at 16 31
//@ races[sc,tso]: k-witness-harmless at 17 30
//@ races[pso,weak]: spec-violated at 17 30
//@ races[sc,tso]: k-witness-harmless at 22 31
//@ races[pso,weak]: spec-violated at 22 31
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int volatile globalx, globaly;

static void *work0(void *unused) {
    globalx = 2;
    globaly = 1;
    return unused;
}

static void *work1(void *unused) {
    globalx = 2;
    return unused;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, work0, NULL);
    pthread_create(&t1, NULL, work1, NULL);
    int y = globaly;
    int x = globalx;
    assert(!(x == 0 && y == 1));
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
