// A total that is printed before all has been added: nothing fails but that the output is wrong.
//@ outcomes: 0 3
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int total;

static void *add(void *amount) {
    atomic_store(&total, 3);
    return amount;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    int seen = atomic_load(&total);
    printf("%d\n", seen);
    pthread_join(thread, NULL);
    return 0;
}
