// Main ends by pthread_exit, and nobody can see in which order threads end: one execution.
//@ executions: 1
//@ native
#include <pthread.h>
#include <stddef.h>

static void *run(void *unused) {
    return unused;
}

int main(void) {
    for (int index = 0; index < 5; index++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, NULL);
    }
    pthread_exit(NULL);
}
