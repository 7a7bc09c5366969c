// Two plain reads of one variable that race with a write: under weak the second may return the older value,
// as after a compiler has exchanged them.
//@ outcomes[sc,tso,pso]: 00 01 11
//@ outcomes[weak]: 00 01 10 11

#include <pthread.h>
#include <stdio.h>

int x;
int r0, r1;

static void *first(void *unused) {
    x = 1;
    return unused;
}

static void *second(void *unused) {
    r0 = x;
    __asm__ volatile("" ::: "memory"); // No compiler makes one read of the two.
    r1 = x;
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
