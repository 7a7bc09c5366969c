// Descriptors: pread, pwrite, vectors, truncation, duplicates, flags, locks, permissions, times, the umask.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

int main(void) {
    char name[] = "/tmp/symx-file-XXXXXX", bytes[32] = "";
    int file = mkstemp(name);
    struct stat status;
    printf("%zd %zd\n", write(file, "hello world", 11), pwrite(file, "HE", 2, 0));
    printf("%zd %s %ld\n", pread(file, bytes, 5, 0), bytes, (long)lseek(file, 0, SEEK_CUR));
    struct iovec out[2] = {{"ab", 2}, {"cde", 3}};
    printf("%zd\n", writev(file, out, 2));
    printf("%ld\n", (long)lseek(file, 0, SEEK_SET));
    char first[4] = "", second[8] = "";
    struct iovec in[2] = {{first, 3}, {second, 7}};
    printf("%zd %s %s\n", readv(file, in, 2), first, second);
    printf("%zd %zd\n", pwritev(file, out, 2, 20), preadv(file, in, 2, 18));
    printf("%d %d\n", ftruncate(file, 4), fstat(file, &status) == 0 && status.st_size == 4);
    printf("%d %o\n", truncate(name, 9), (unsigned)status.st_mode & 07777);
    printf("%d %ld\n", fstat(file, &status), (long)status.st_size);
    int copy = dup(file), high = fcntl(file, F_DUPFD, 50), same = dup2(file, 60);
    printf("%d %d %d\n", copy > file, high, same);
    lseek(copy, 3, SEEK_SET);
    printf("%ld\n", (long)lseek(high, 0, SEEK_CUR));
    close(copy), close(high), close(same);
    printf("%zd %d\n", write(copy, "x", 1), errno == EBADF);
    printf("%d %d\n", fcntl(file, F_SETFD, FD_CLOEXEC), fcntl(file, F_GETFD));
    printf("%d %d\n", fcntl(file, F_GETFL) & O_ACCMODE, fcntl(file, F_SETFL, O_APPEND));
    lseek(file, 0, SEEK_SET);
    write(file, "end", 3);
    printf("%ld\n", (long)lseek(file, 0, SEEK_END));
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    printf("%d %d %d\n", fcntl(file, F_SETLK, &lock), fcntl(file, F_GETLK, &lock), lock.l_type == F_UNLCK);
    printf("%d\n", flock(file, LOCK_EX | LOCK_NB));
    printf("%d %d %o\n", fchmod(file, 0600), stat(name, &status), (unsigned)status.st_mode & 07777);
    struct timespec times[2] = {{1000, 5}, {2000, 7}};
    printf("%d %d %ld %ld\n", futimens(file, times), stat(name, &status), (long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    struct utimbuf both = {3000, 4000};
    printf("%d %d %ld\n", utime(name, &both), stat(name, &status), (long)status.st_mtime);
    mode_t mask = umask(077);
    umask(mask);
    printf("%d %d\n", isatty(file), errno == ENOTTY);
    struct winsize size;
    printf("%d\n", ioctl(file, TIOCGWINSZ, &size));
    int pending = -1;
    lseek(file, 2, SEEK_SET);
    printf("%d %d\n", ioctl(file, FIONREAD, &pending), pending);
    printf("%d %d\n", posix_fallocate(file, 0, 100), fstat(file, &status) == 0 && status.st_size == 100);
    printf("%d %d\n", fsync(file), fdatasync(file));
    printf("%d %d\n", close(file), unlink(name));
    printf("%d %d\n", open("/no/such/file", O_RDONLY), errno == ENOENT);
    printf("%d %d\n", open(name, O_RDWR | O_CREAT | O_EXCL, 0600) >= 0, open(name, O_RDWR | O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
    unlink(name);
    return 0;
}
