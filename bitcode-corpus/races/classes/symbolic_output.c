// Figure 17: what is written depends on the input, not on the race.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 10 17
#include <pthread.h>
#include <stdio.h>
#include <symx.h>

int globalx, i;

static void *work0(void *unused) {
    globalx = 1;
    if (i >= 0)
        printf("10\n");
    return unused;
}

static void *work1(void *unused) {
    globalx = 2;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    i = symx_i32("input");
    pthread_create(&threads[0], NULL, work0, NULL);
    pthread_create(&threads[1], NULL, work1, NULL);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
