// Both add to what they read before the other wrote. All three pairs of accesses matter.
//@ cflags: -O0 -Xclang -disable-O0-optnone
//@ races[sc,tso,pso,weak]: output-differs at 11
//@ races[sc,tso,pso,weak]: output-differs at 11
#include <pthread.h>
#include <stdio.h>

int count;

static void *add(void *unused) {
    count++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", count);
    return 0;
}
