// A thread may be given memory of the program as its stack.
//@ outcomes: 0,0,9
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES (64 * 1024)

static void *run(void *argument) {
    int local[16];
    for (int index = 0; index < 16; index++)
        local[index] = (int)(intptr_t)argument;
    return (void *)(intptr_t)local[15];
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    void *result, *stack;
    if (posix_memalign(&stack, 4096, BYTES))
        return 1;
    pthread_attr_init(&attributes);
    printf("%d", pthread_attr_setstack(&attributes, stack, BYTES));
    printf(",%d", pthread_create(&thread, &attributes, run, (void *)9));
    pthread_join(thread, &result);
    printf(",%d\n", (int)(intptr_t)result);
    pthread_attr_destroy(&attributes);
    free(stack);
    return 0;
}
