// Spin locks for one process or for several are alike.
//@ outcomes: 0,0,0,0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_spinlock_t own, shared;
    printf("%d", pthread_spin_init(&own, PTHREAD_PROCESS_PRIVATE));
    printf(",%d", pthread_spin_init(&shared, PTHREAD_PROCESS_SHARED));
    printf(",%d", pthread_spin_lock(&shared));
    printf(",%d", pthread_spin_unlock(&shared));
    printf(",%d\n", pthread_spin_destroy(&own));
    pthread_spin_destroy(&shared);
    return 0;
}
