// The order matters for one input only: the solver says which.
//@ races[sc,tso,pso,weak]: output-differs at 10 15
#include <pthread.h>
#include <stdio.h>
#include <symx.h>

int shared, secret;

static void *set(void *unused) {
    shared = 1;
    return unused;
}

static void *use(void *unused) {
    int seen = shared;
    printf("%d\n", secret == 1234567 ? seen : 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    secret = symx_i32("secret");
    pthread_create(&threads[0], NULL, set, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
