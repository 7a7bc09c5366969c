// `lchown` and `fchownat` change the owner of a link itself, which need not lead anywhere.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char folder[] = "/tmp/symx-link-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    uid_t user = getuid();
    gid_t group = getgid();
    if (symlink("nowhere", "link")) return 2;
    printf("%d ", chown("link", user, group));
    printf("%d, ", errno);
    printf("%d, ", lchown("link", user, group));
    printf("%d, ", fchownat(AT_FDCWD, "link", user, group, AT_SYMLINK_NOFOLLOW));
    printf("%d ", fchownat(AT_FDCWD, "link", user, group, 0));
    printf("%d, ", errno);
    printf("%d ", fchownat(AT_FDCWD, "link", user, group, 0x10));
    printf("%d\n", errno);
    unlink("link");
    chdir("/");
    rmdir(folder);
    return 0;
}
