// Two threads print: the stream's lock orders what they do to it, so only the order of the two lines is open.
//@ executions: 2
//@ outcomes: one
//@ native
#include <pthread.h>
#include <stdio.h>

static void *print(void *text) {
    fputs(text, stdout);
    return NULL;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, print, "on");
    pthread_create(&other, NULL, print, "");
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    puts("e");
    return 0;
}
