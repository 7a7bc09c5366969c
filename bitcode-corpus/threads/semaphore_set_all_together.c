// Both threads take two semaphores, named in opposite orders, at once: they exclude each other and neither waits for
// ever.
//@ outcomes: 2
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set, counter;

static void add_to_both(short first, short change) {
    struct sembuf operations[2] = {{first, change, 0}, {1 - first, change, 0}};
    semop(set, operations, 2);
}

static void *count(void *first) {
    add_to_both(*(short *)first, -1);
    counter++;
    add_to_both(*(short *)first, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    short first[2] = {0, 1};
    set = semget(IPC_PRIVATE, 2, 0600);
    add_to_both(0, 1);
    for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, count, &first[index]);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    printf("%d\n", counter);
    semctl(set, 0, IPC_RMID);
    return 0;
}
