// The variables of a thread lie in memory that it was given as its stack: others find them there, calls go down, returns free.
//@ outcomes: 1,1,1,7,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES (64 * 1024)

static char *stack;
static ptrdiff_t offset;
static sem_t told, written;

static int is_inside(volatile void *variable) {
    return (char *)variable >= stack && (char *)variable < stack + BYTES;
}

__attribute__((noinline)) static uintptr_t deeper(int levels) {
    volatile int here = levels;
    uintptr_t below = levels ? deeper(levels - 1) : (uintptr_t)&here;
    here = 0;
    return below;
}

static void *run(void *argument) {
    volatile int local = 1;
    (void)argument;
    printf("%d", is_inside(&local));
    uintptr_t once = deeper(5), again = deeper(5);
    printf(",%d", is_inside((void *)once) && once < (uintptr_t)&local);
    printf(",%d", once == again);
    offset = (char *)&local - stack;
    sem_post(&told);
    sem_wait(&written);
    printf(",%d", local);
    return NULL;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    volatile int of_main;
    sem_init(&told, 0, 0);
    sem_init(&written, 0, 0);
    if (posix_memalign((void **)&stack, 4096, BYTES))
        return 1;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, BYTES);
    pthread_create(&thread, &attributes, run, NULL);
    sem_wait(&told);
    *(int *)(stack + offset) = 7;
    sem_post(&written);
    pthread_join(thread, NULL);
    printf(",%d\n", !is_inside(&of_main));
    pthread_attr_destroy(&attributes);
    free(stack);
    return 0;
}
