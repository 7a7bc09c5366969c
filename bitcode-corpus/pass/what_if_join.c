// Nobody waits for the threads, which are detached; as is assumed, their creator does: what it sees is what it would see behind joins.
//@ flags: --what-if join:what_if_join.c:25
//@ outcomes[sc]: 11 12 101 102 111 112
//@ outcomes[tso,pso]: 1 2 11 12 101 102 111 112
#include <pthread.h>
#include <stdio.h>

static int x, y, first, second, ended;

static void *one(void *unused) {
    x = 1;
    first = y;
    ended += 1;
    return unused;
}

static void *other(void *unused) {
    y = 1;
    second = x;
    ended += 1;
    return unused;
}

static void tell(void) {
    printf("%d\n", first * 100 + second * 10 + ended);
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_detach(threads[0]);
    pthread_detach(threads[1]);
    tell();
    return 0;
}
