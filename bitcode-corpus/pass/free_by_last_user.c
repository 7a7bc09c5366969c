// Threads share an object with a mutex, and whoever is last frees it: nobody uses it afterwards.
//@ outcomes: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t mutex;
    int users, sum;
};

static int result;

static void leave(struct shared *shared) {
    pthread_mutex_lock(&shared->mutex);
    shared->sum++;
    int last = --shared->users == 0;
    int sum = shared->sum;
    pthread_mutex_unlock(&shared->mutex);
    if (last) {
        result = sum;
        free(shared);
    }
}

static void *run(void *shared) {
    leave(shared);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct shared *shared = calloc(1, sizeof *shared);
    pthread_mutex_init(&shared->mutex, NULL);
    shared->users = 2;
    pthread_create(&thread, NULL, run, shared);
    leave(shared);
    pthread_join(thread, NULL);
    printf("%d\n", result);
    return 0;
}
