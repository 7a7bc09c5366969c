// Requests a file does not know are errors: it is no terminal, no disk, and cannot share its content.
//@ native
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifndef FICLONE
#define FICLONE _IOW(0x94, 9, int)
#endif
#define BLKGETSIZE64 _IOR(0x12, 114, size_t)

int main(void) {
    struct winsize size;
    unsigned long long bytes;
    int ends[2];
    if (pipe(ends)) return 1;
    printf("%d %d\n", ioctl(ends[0], TIOCGWINSZ, &size), errno == ENOTTY);
    printf("%d %d\n", ioctl(ends[0], BLKGETSIZE64, &bytes), errno == ENOTTY);
    printf("%d\n", ioctl(ends[0], FICLONE, ends[1]));
}
