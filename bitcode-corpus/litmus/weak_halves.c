// A word and its halves: a read takes no two halves from writes that wrote both.
//@ outcomes[sc,tso,pso]: 00 11 12
//@ outcomes[weak]: 00 02 11 12

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

_Alignas(4) union {
    unsigned word;
    unsigned short halves[2];
} x;
int r0, r1;

static void *first(void *unused) {
    x.word = 0x10001;
    x.halves[1] = 2;
    return unused;
}

static void *second(void *unused) {
    unsigned word = x.word;
    r0 = word & 0xffff;
    r1 = word >> 16;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d\n", r0, r1);
    return 0;
}
