// select stores what is left of its time: nothing after it, and at most all before it. pwrite appends to a file that
// is open for appending.
//@ outcomes: 0:0,0,1:1,1,abcdX
//@ native
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char text[8] = "";
    struct timeval left = {0, 20000};
    fd_set readable;
    pipe(ends);
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    printf("%d:", select(ends[0] + 1, &readable, NULL, NULL, &left));
    printf("%d,%d", (int)left.tv_sec, (int)left.tv_usec);
    write(ends[1], "x", 1);
    FD_SET(ends[0], &readable);
    left.tv_sec = 3600;
    printf(",%d:", select(ends[0] + 1, &readable, NULL, NULL, &left));
    printf("%d", left.tv_sec == 3600 && left.tv_usec == 0 || left.tv_sec == 3599);
    int file = memfd_create("appended", 0);
    write(file, "abcd", 4);
    fcntl(file, F_SETFL, O_APPEND);
    printf(",%d", (int)pwrite(file, "X", 1, 1));
    pread(file, text, 7, 0);
    printf(",%s\n", text);
    return 0;
}
