// madvise: dropped pages are zero, of shared memory they hold what the file does; what is no advice fails.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void tell(const char *what, int result) { printf("%s %d %d\n", what, result, result < 0 ? errno : 0); }

int main(void) {
    char *memory = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 'x', 3 * 4096);
    tell("drop", madvise(memory + 4096, 4000, MADV_DONTNEED));
    printf("%d %d %d %d\n", memory[4095], memory[4096], memory[8191], memory[8192]);
    tell("none", madvise(memory, 0, MADV_DONTNEED));
    tell("between pages", madvise(memory + 1, 4096, MADV_DONTNEED));
    tell("no advice", madvise(memory, 4096, 5));
    tell("hint", madvise(memory, 4096, MADV_WILLNEED));
    tell("free", madvise(memory, 4096, MADV_FREE));
    memory[0] = 'y';
    printf("%c\n", memory[0]);
    munmap(memory, 3 * 4096);

    char name[] = "/tmp/symx-map-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    write(file, "0123456789", 10);
    char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    shared[1] = 'z';
    tell("drop shared", madvise(shared, 4096, MADV_DONTNEED));
    tell("free shared", madvise(shared, 4096, MADV_FREE));
    printf("%.10s\n", shared);
    munmap(shared, 4096);
    return 0;
}
