// A kernel without landlock, io_uring, kcmp, memory policies and descriptors of processes says so: programs that
// look for them do without.
//@ outcomes: 1,1,1,1,1,1,1
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_absent(long number) {
    errno = 0;
    return syscall(number, 0, 0, 1) == -1 && errno == ENOSYS;
}

int main(void) {
    printf("%d,%d,", is_absent(SYS_landlock_create_ruleset), is_absent(SYS_landlock_add_rule));
    printf("%d,%d,", is_absent(SYS_landlock_restrict_self), is_absent(SYS_io_uring_setup));
    printf("%d,%d,%d\n", is_absent(SYS_kcmp), is_absent(SYS_get_mempolicy), is_absent(SYS_pidfd_open));
    return 0;
}
