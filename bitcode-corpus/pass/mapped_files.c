// Mapping files: private copies, shared mappings that reach the file, anonymous memory, growing a mapping.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    char name[] = "/tmp/symx-map-XXXXXX", bytes[16] = "";
    int file = mkstemp(name);
    unlink(name);
    write(file, "0123456789", 10);
    char *copy = mmap(NULL, 10, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    copy[0] = 'x';
    pread(file, bytes, 10, 0);
    printf("%.10s %s\n", copy, bytes);
    munmap(copy, 10);
    char *shared = mmap(NULL, 10, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    shared[1] = 'y';
    msync(shared, 10, MS_SYNC);
    pread(file, bytes, 10, 0);
    printf("%s\n", bytes);
    shared[2] = 'z';
    munmap(shared, 10);
    pread(file, bytes, 10, 0);
    printf("%s\n", bytes);
    char *seen = mmap(NULL, 10, PROT_READ, MAP_SHARED, file, 0);
    printf("%.3s\n", seen);
    munmap(seen, 10);
    char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory[0] = 1, memory[8191] = 2;
    memory = mremap(memory, 8192, 16384, MREMAP_MAYMOVE);
    printf("%d %d %d\n", memory[0], memory[8191], memory[16383]);
    printf("%d\n", munmap(memory, 16384));
    printf("%d\n", mmap(NULL, 0, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED);
    return 0;
}
