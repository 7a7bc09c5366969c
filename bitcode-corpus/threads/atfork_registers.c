// Handlers for forks can be registered, as often as one likes; without a fork none is run.
//@ outcomes: 0,0
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int ran;

static void note(void) {
    ran = 1;
}

int main(void) {
    int errors = 0;
    for (int time = 0; time < 8; time++)
        errors += pthread_atfork(note, note, note);
    errors += pthread_atfork(NULL, NULL, NULL);
    printf("%d,%d\n", errors, ran);
    return 0;
}
