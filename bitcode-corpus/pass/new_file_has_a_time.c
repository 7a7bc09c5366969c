// A file that the program makes was modified while it runs, not in 1970.
//@ outcomes: 1_1_0
//@ native
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

int main(void) {
    time_t before = time(0);
    int file = open("/tmp/symx-new-file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct stat facts;
    fstat(file, &facts);
    printf("%d", facts.st_mtime >= before - 2 && facts.st_mtime <= time(0));
    struct utimbuf present = {time(0), time(0)}, earliest = {0, 0};
    utime("/tmp/symx-new-file", &present);
    stat("/tmp/symx-new-file", &facts);
    printf("_%d", facts.st_mtime == present.modtime);
    utime("/tmp/symx-new-file", &earliest);
    stat("/tmp/symx-new-file", &facts);
    printf("_%ld", (long)facts.st_mtime);
    close(file);
    unlink("/tmp/symx-new-file");
    return 0;
}
