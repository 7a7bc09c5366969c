// A buffer of no bytes is not accessed, wherever it is.
//@ native
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
    void *nowhere = (void *)1;
    // The crate getrandom asks in this way whether there is such a system call.
    printf("%zd %zd %d\n", getrandom(NULL, 0, GRND_NONBLOCK), getrandom(nowhere, 0, 0), getentropy(nowhere, 0));
    int file = open("/dev/null", O_RDWR), ends[2];
    printf("%zd %zd ", read(file, nowhere, 0), write(file, nowhere, 0));
    printf("%zd %zd ", pread(file, nowhere, 0, 0), pwrite(file, nowhere, 0, 0));
    printf("%zd %zd\n", readv(file, nowhere, 0), writev(file, nowhere, 0));
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    printf("%zd\n", send(ends[0], nowhere, 0, 0));
    return 0;
}
