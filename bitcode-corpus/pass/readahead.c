// Reading ahead changes nothing that can be read; it takes a regular file that is open for reading.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void ahead(int descriptor, off_t offset, size_t count) {
    errno = 0;
    ssize_t result = readahead(descriptor, offset, count);
    printf("%zd %d\n", result, errno);
}

int main(void) {
    char name[] = "/tmp/symx-readahead-XXXXXX";
    int file = mkstemp(name), ends[2];
    printf("%zd\n", write(file, "hello", 5));
    ahead(file, 0, 5);
    ahead(file, 3, 4096);
    ahead(file, 4096, 0);
    ahead(file, 0, (size_t)-1);
    printf("%ld\n", (long)lseek(file, 0, SEEK_CUR));

    int written = open(name, O_WRONLY), folder = open("/tmp", O_RDONLY | O_DIRECTORY);
    ahead(written, 0, 5);
    ahead(folder, 0, 5);
    printf("%d\n", pipe(ends));
    ahead(ends[0], 0, 5);
    ahead(ends[1], 0, 5);
    close(written);
    ahead(written, 0, 5);
    ahead(-1, 0, 5);
    unlink(name);
    return 0;
}
