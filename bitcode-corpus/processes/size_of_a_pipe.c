// How many bytes a pipe holds can be asked and set: whole pages, whose number is a power of two.
//@ native
//@ outcomes: done
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    static char bytes[5000];
    assert(pipe2(ends, O_NONBLOCK) == 0);
    assert(fcntl(ends[0], F_GETPIPE_SZ) == 65536);
    assert(fcntl(ends[1], F_SETPIPE_SZ, 100000) == 131072 && fcntl(ends[0], F_GETPIPE_SZ) == 131072);
    assert(fcntl(ends[1], F_SETPIPE_SZ, 0) == 4096 && fcntl(ends[1], F_SETPIPE_SZ, 65536) == 65536);
    assert(write(ends[1], bytes, 5000) == 5000);
    assert(fcntl(ends[1], F_SETPIPE_SZ, 1) == -1 && errno == EBUSY);
    assert(read(ends[0], bytes, 5000) == 5000);
    assert(fcntl(ends[1], F_SETPIPE_SZ, 1) == 4096);
    assert(write(ends[1], bytes, 5000) == 4096 && write(ends[1], bytes, 1) == -1 && errno == EAGAIN);
    assert(fcntl(0, F_GETPIPE_SZ) > 0 || errno == EBADF);
    puts("done");
    return 0;
}
