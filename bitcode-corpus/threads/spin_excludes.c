// Two threads add under a spin lock.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int count;

static void *add(void *unused) {
    pthread_spin_lock(&lock);
    count++;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, add, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    pthread_spin_destroy(&lock);
    printf("%d\n", count);
    return 0;
}
