// /proc/self/fd/N leads to the open file itself, though it has another name by now, or none.
//@ outcomes: 600_400_400_3_-1
//@ native
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned permissions(const char *path) {
    struct stat found;
    return stat(path, &found) ? 0 : found.st_mode & 0777;
}

int main(void) {
    int file = open("one", O_CREAT | O_RDWR, 0600);
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    printf("%o_", permissions(path));
    rename("one", "two");
    chmod(path, 0400);
    printf("%o_", permissions("two"));
    fchmodat(AT_FDCWD, "two", 0400, AT_SYMLINK_NOFOLLOW);
    printf("%o_", permissions("two"));
    unlink("two");
    write(file, "abc", 3);
    struct stat found;
    stat(path, &found);
    printf("%d_", (int)found.st_size);
    close(file);
    printf("%d\n", stat(path, &found));
    return 0;
}
