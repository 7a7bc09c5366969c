// flockfile, ftrylockfile and funlockfile keep the words of two threads together.
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void *attempt(void *result) {
    *(int *)result = ftrylockfile(stdout) != 0;
    return NULL;
}

static void *say(void *text) {
    flockfile(stdout);
    flockfile(stdout);
    fputs(text, stdout);
    funlockfile(stdout);
    putchar_unlocked('\n');
    funlockfile(stdout);
    return NULL;
}

int main(void) {
    pthread_t thread;
    int busy;
    flockfile(stdout);
    pthread_create(&thread, NULL, attempt, &busy);
    pthread_join(thread, NULL);
    printf("%d\n", busy);
    funlockfile(stdout);
    pthread_create(&thread, NULL, say, "words");
    pthread_join(thread, NULL);
    printf("%d\n", ftrylockfile(stdout));
    return 0;
}
