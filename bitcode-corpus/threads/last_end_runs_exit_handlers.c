// Once `main` has ended by pthread_exit, the last thread to end exits the process: any of them can be the last, and runs the handlers.
//@ outcomes: 0 1 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local int number;

static void tell(void) {
    printf("%d\n", number);
}

static void *run(void *mine) {
    number = *(int *)mine;
    return NULL;
}

int main(void) {
    static int numbers[2] = {1, 2};
    atexit(tell);
    for (int index = 0; index < 2; index++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, &numbers[index]);
        pthread_detach(thread);
    }
    pthread_exit(NULL);
}
