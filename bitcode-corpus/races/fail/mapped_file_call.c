// Calls read a byte of a file and write one that another thread stores to where the file is mapped.
//@ flags: --check race
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int file;
static char *memory;

static void *one(void *unused) {
    memory[0] = 1; //~ ERROR: data race on
    memory[1] = 1; //~ ERROR: data race on
    return unused;
}

static void *two(void *unused) {
    char byte;
    pread(file, &byte, 1, 0);
    pwrite(file, "x", 1, 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    file = memfd_create("mapped", 0);
    ftruncate(file, 8);
    memory = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
