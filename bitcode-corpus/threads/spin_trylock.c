// trylock of a held spin lock says so.
//@ outcomes: 0,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    printf("%d", pthread_spin_lock(&lock));
    printf(",%d", pthread_spin_trylock(&lock) == EBUSY);
    printf(",%d\n", pthread_spin_unlock(&lock));
    pthread_spin_destroy(&lock);
    return 0;
}
