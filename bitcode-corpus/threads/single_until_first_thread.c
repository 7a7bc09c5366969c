// glibc tells a process that it has one thread until it creates the second one, and never again.
//@ outcomes: 1,0,0
//@ executions: 1
//@ native
#include <pthread.h>
#include <stdio.h>
#include <sys/single_threaded.h>

static int in_thread;

static void *look(void *unused) {
    in_thread = __libc_single_threaded;
    return unused;
}

int main(void) {
    int at_first = __libc_single_threaded;
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    printf("%d,%d,%d\n", at_first, in_thread, __libc_single_threaded);
}
