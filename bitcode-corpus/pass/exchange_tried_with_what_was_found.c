// An exchange that has failed is tried again with the number it found, or with a new one if a flag is clear.
// A round with a failure leads to where the first look would have led.
//@ outcomes: 0 1
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int word, flag;

static void *change(void *unused) {
    atomic_store(&word, 1);
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t changer;
    pthread_create(&changer, NULL, change, NULL);
    int found = atomic_load(&word);
    while (!atomic_compare_exchange_strong(&word, &found, 2))
        if (!atomic_load(&flag))
            found = atomic_load(&word);
    printf("%d\n", found);
    return pthread_join(changer, NULL);
}
