/* Two threads at a stack under one mutex: one pushes SIZE times, the other pops SIZE times. Whose turn it is with the
 * mutex is all that can differ: 12,870 inequivalent executions for SIZE = 8, the ways to choose 8 turns of 16. */
#include <pthread.h>
#include <stddef.h>

#ifndef SIZE
#define SIZE 8
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stack[SIZE], height;

static void *push(void *unused) {
    for (int turn = 0; turn < SIZE; turn++) {
        pthread_mutex_lock(&lock);
        stack[height++] = turn;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *pop(void *unused) {
    for (int turn = 0; turn < SIZE; turn++) {
        pthread_mutex_lock(&lock);
        if (height > 0) height--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t pusher, popper;
    pthread_create(&pusher, NULL, push, NULL);
    pthread_create(&popper, NULL, pop, NULL);
    pthread_join(pusher, NULL);
    pthread_join(popper, NULL);
    return 0;
}
