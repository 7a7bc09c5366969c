// pthread_exit runs the clean-up handlers that are left, last pushed first.
//@ outcomes: 321
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int order;

static void note(void *number) {
    order = order * 10 + *(int *)number;
}

static void *run(void *unused) {
    int one = 1, two = 2, three = 3;
    pthread_cleanup_push(note, &one);
    pthread_cleanup_push(note, &two);
    pthread_cleanup_push(note, &three);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", order);
    return 0;
}
