// Figure 28 a, from ctrace: two threads find the resource there and both give it back.
//@ cflags: -O0 -Xclang -disable-O0-optnone
//@ races[sc,tso,pso]: k-witness-harmless at 14 16
//@ races[weak]: spec-violated at 14 16
//@ races: spec-violated at 15
//@ races: spec-violated at 15 16
//@ races: spec-violated at 16
#include <pthread.h>
#include <stdlib.h>

char *log_buffer;

static void *close_log(void *unused) {
    if (log_buffer) {
        free(log_buffer);
        log_buffer = NULL;
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    log_buffer = malloc(16);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, close_log, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
