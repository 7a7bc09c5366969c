// A system call that the program makes by its number is no cancellation point: the thread goes on waiting.
//@ outcomes: 7
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

static void *run(void *unused) {
    char byte = 0;
    (void)unused;
    syscall(SYS_read, ends[0], &byte, 1);
    return (void *)(intptr_t)byte;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    pipe(ends);
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    write(ends[1], "\7", 1);
    pthread_join(thread, &result);
    printf("%d\n", (int)(intptr_t)result);
    return 0;
}
