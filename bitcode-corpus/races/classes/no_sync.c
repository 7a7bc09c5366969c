// Figure 31 a: what main writes depends on which of the stores it sees.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 13 19
//@ races[sc,tso,pso,weak]: output-differs at 13 28
//@ races[sc,tso,pso,weak]: output-differs at 14 27
//@ races[sc,tso,pso,weak]: output-differs at 19 28
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
    printf("%d,%d", x, y);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
