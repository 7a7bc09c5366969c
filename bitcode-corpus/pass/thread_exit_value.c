// pthread_exit ends the thread from any depth of calls and its value reaches the joiner.
//@ native
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void descend(int depth) {
    if (depth == 0)
        pthread_exit((void *)(intptr_t)42);
    descend(depth - 1);
    printf("not reached\n");
}

static void *start(void *unused) {
    descend(3);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *value;
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, &value);
    printf("%ld\n", (long)(intptr_t)value);
    return 0;
}
