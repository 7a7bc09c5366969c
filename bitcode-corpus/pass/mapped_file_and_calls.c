// A call reads and writes bytes of a file that is mapped: each comes before or after another thread's access to
// the same byte.
//@ outcomes: 0,0 0,1 7,0 7,1
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic char *memory;

static void *store_and_load(void *seen) {
    memory[0] = 7;
    *(char *)seen = memory[1];
    return NULL;
}

int main(void) {
    pthread_t thread;
    char seen, byte;
    int file = memfd_create("mapped", 0);
    ftruncate(file, 8);
    memory = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&thread, NULL, store_and_load, &seen);
    pread(file, &byte, 1, 0);
    pwrite(file, "\1", 1, 1);
    pthread_join(thread, NULL);
    printf("%d,%d", byte, seen);
    return 0;
}
