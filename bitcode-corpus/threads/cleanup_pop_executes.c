// pthread_cleanup_pop runs the handler if told to, and only then.
//@ outcomes: 1,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void note(void *flag) {
    *(int *)flag = 1;
}

int main(void) {
    int run = 0, not_run = 0;
    pthread_cleanup_push(note, &run);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(note, &not_run);
    pthread_cleanup_pop(0);
    printf("%d,%d\n", run, not_run);
    return 0;
}
