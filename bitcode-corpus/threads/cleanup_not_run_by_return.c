// Handlers popped before a thread returns are not run.
//@ outcomes: 0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int ran;

static void note(void *unused) {
    (void)unused;
    ran = 1;
}

static void *run(void *unused) {
    pthread_cleanup_push(note, NULL);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", ran);
    return 0;
}
