// Two processes lock two bytes of a file in opposite order. The request that would close the cycle fails with EDEADLK.
//@ outcomes: 00 0d d0
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static int file;

static int lock(off_t start) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = 1};
    return fcntl(file, F_SETLKW, &lock) ? errno : 0;
}

static int lock_both(off_t first, off_t second) {
    lock(first);
    int result = lock(second);
    close(file);
    return result;
}

int main(void) {
    int status;
    file = open("/tmp/symx-crosswise", O_RDWR | O_CREAT, 0600);
    if (!fork())
        _exit(lock_both(1, 0));
    int result = lock_both(0, 1);
    wait(&status);
    write(1, result == EDEADLK ? "d" : "0", 1);
    write(1, WEXITSTATUS(status) == EDEADLK ? "d" : "0", 1);
    unlink("/tmp/symx-crosswise");
    return 0;
}
