// glibc tells a process that it has one thread until it creates the second one, and never again. Threads that ask are
// independent of each other: one execution.
//@ outcomes: 1,0,0,0
//@ executions: 1
//@ native
#include <pthread.h>
#include <stdio.h>
#include <sys/single_threaded.h>

static int in_thread[2];

static void *look(void *result) {
    *(int *)result = __libc_single_threaded;
    return NULL;
}

int main(void) {
    int at_first = __libc_single_threaded;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, look, &in_thread[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d,%d,%d,%d\n", at_first, in_thread[0], in_thread[1], __libc_single_threaded);
}
