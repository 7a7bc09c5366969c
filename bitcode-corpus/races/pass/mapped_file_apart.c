// Calls on a file of which a part is mapped access the bytes that they read or write, and no others.
//@ flags: --check race
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int file;
static char *memory;

static void *one(void *unused) {
    memory[0] = 1;
    return unused;
}

static void *two(void *unused) {
    struct stat status;
    char byte;
    fstat(file, &status);
    pread(file, &byte, 1, 1);
    pwrite(file, "x", 1, 2);
    ftruncate(file, 9);
    char *again = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    munmap(again, 8);
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
    return memory[2] != 'x';
}
