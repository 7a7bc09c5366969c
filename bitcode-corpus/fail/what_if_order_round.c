// An order that is assumed and one that the program has are a circle.
//@ flags: --what-if order:what_if_order_round.c:17<what_if_order_round.c:9
#include <pthread.h>
#include <stddef.h>

static volatile int first, second;

static void *early(void *unused) {
    first = 1; //~ ERROR: another thread to pass what_if_order_round.c:17
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, early, NULL);
    pthread_join(thread, NULL); //~ NOTE: waits for the end
    second = first;
    return 0;
}
