// faccessat looks at a link's target, or at the link itself; flags that it does not know are an error.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    const char *link = "link_to_nothing_is_accessible.tmp";
    unlink(link);
    if (symlink("nothing_of_this_name", link) != 0) return 1;
    int followed = faccessat(AT_FDCWD, link, F_OK, 0), missing = errno;
    int itself = faccessat(AT_FDCWD, link, F_OK, AT_SYMLINK_NOFOLLOW);
    int target = faccessat(AT_FDCWD, link, F_OK, AT_EACCESS);
    int unknown = faccessat(AT_FDCWD, link, F_OK, 1 << 20), refused = errno;
    printf("%d %d %d %d %d %d\n", followed, missing == ENOENT, itself, target, unknown, refused == EINVAL);
    unlink(link);
    return 0;
}
