// fcntl as programs compiled for large files call it: commands without a third argument read none.
//@ native
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int file = open("/dev/null", O_WRONLY | O_APPEND);
    printf("%d ", fcntl(file, F_GETFD));
    printf("%d ", fcntl(file, F_SETFD, FD_CLOEXEC));
    printf("%d %d ", fcntl(file, F_GETFD) == FD_CLOEXEC, (fcntl(file, F_GETFL) & O_APPEND) != 0);
    int copy = fcntl(file, F_DUPFD, 10);
    printf("%d\n", copy >= 10);
    return 0;
}
