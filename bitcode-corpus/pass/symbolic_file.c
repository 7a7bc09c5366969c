// A symbolic file has the size asked for, is read like any other, and stays symbolic when copied through another
// file and a pipe.
//@ flags: --sym-file data 2 --sym-stdin 1
//@ outcomes: differ same
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    struct stat status;
    assert(stat("data", &status) == 0 && status.st_size == 2);
    char first[2], again[2], piped;
    int data = open("data", O_RDWR);
    assert(read(data, first, 2) == 2);
    assert(pread(data, again, 2, 0) == 2);
    assert(first[0] == again[0] && first[1] == again[1]);

    int ends[2], copy = open("/tmp/copy", O_RDWR | O_CREAT, 0600);
    assert(pipe(ends) == 0);
    assert(write(ends[1], first, 2) == 2 && read(ends[0], again, 2) == 2);
    assert(write(copy, again, 2) == 2 && pread(copy, &piped, 1, 1) == 1);
    assert(piped == first[1]);

    char typed;
    assert(read(0, &typed, 1) == 1 && read(0, again, 1) == 0);
    puts(typed == piped ? "same" : "differ");
    return 0;
}
