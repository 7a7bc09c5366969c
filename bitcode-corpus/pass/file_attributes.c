// The file system has no extended attributes, and takes none. What is no file is said first. Groups are the superuser's
// to choose.
//@ outcomes: 0,-1,1,-1,1,0,1,1,-1,1
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

int main(void) {
    char list[8];
    int file = open("file", O_CREAT | O_RDWR, 0600);
    printf("%zd,", listxattr("file", list, sizeof list));
    printf("%zd,", lgetxattr("file", "user.name", list, sizeof list));
    printf("%d,", errno == ENOTSUP);
    printf("%d,", fsetxattr(file, "user.name", "value", 5, 0));
    printf("%d,", errno == ENOTSUP);
    printf("%zd,", flistxattr(file, list, sizeof list));
    printf("%d,", removexattr("missing", "user.name") == -1 && errno == ENOENT);
    printf("%d,", fgetxattr(file + 1, "user.name", list, sizeof list) == -1 && errno == EBADF);
    printf("%d,", setgroups(0, NULL));
    printf("%d\n", errno == EPERM);
    return 0;
}
