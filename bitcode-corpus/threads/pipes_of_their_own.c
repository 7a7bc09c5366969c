// Each thread makes, uses and closes a pipe of its own: a new number depends on which are open, and closes commute.
//@ executions[sc,tso]: 108
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *use(void *unused) {
    (void)unused;
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0 || ends[0] == ends[1]) abort();
    write(ends[1], "x", 1);
    read(ends[0], &byte, 1);
    if (byte != 'x') abort();
    close(ends[0]);
    close(ends[1]);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
