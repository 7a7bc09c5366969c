// What one call prints stays together.
//@ outcomes: ab,cd, cd,ab,
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void *print(void *text) {
    fputs(text, stdout);
    return NULL;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, print, "ab,");
    pthread_create(&other, NULL, print, "cd,");
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    puts("");
    return 0;
}
