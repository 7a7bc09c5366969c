// Locks of files. Those of bytes are split, joined and released. `F_GETLK` returns the first lock that conflicts.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static const char *const name = "/tmp/symx-file-locks";

// What a call for a lock of the open file, or of the process, answers: 0 or the error.
static int ask(int file, int command, short kind, short from, off_t start, off_t length) {
    struct flock lock = {.l_type = kind, .l_whence = from, .l_start = start, .l_len = length};
    return fcntl(file, command, &lock) ? errno : 0;
}

static void look(int file, short kind, off_t start, off_t length) {
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    int result = fcntl(file, F_OFD_GETLK, &lock) ? errno : 0;
    if (result || lock.l_type == F_UNLCK)
        printf("look: %d none\n", result);
    else
        printf("look: %s from %d, %ld long, of %s\n", lock.l_type == F_RDLCK ? "shared" : "exclusive", lock.l_whence,
               (long)lock.l_len, lock.l_pid == -1 ? "a file" : lock.l_pid == getpid() ? "this process" : "another");
}

static void of_bytes(int one, int other, int only_read) {
    printf("%d", ask(one, F_OFD_SETLK, F_WRLCK, SEEK_SET, 0, 100));
    printf(" %d", ask(other, F_OFD_SETLK, F_RDLCK, SEEK_SET, 99, 1));
    printf(" %d", ask(other, F_OFD_SETLK, F_RDLCK, SEEK_SET, 100, 0));
    printf(" %d", ask(one, F_OFD_SETLK, F_UNLCK, SEEK_SET, 40, 20));
    printf(" %d", ask(other, F_OFD_SETLK, F_WRLCK, SEEK_SET, 40, 20));
    printf(" %d\n", ask(other, F_OFD_SETLK, F_WRLCK, SEEK_SET, 40, 21));
    look(only_read, F_RDLCK, 0, 0);
    look(only_read, F_RDLCK, 30, 20);
    look(only_read, F_RDLCK, 45, -5);
    look(only_read, F_RDLCK, 1000, 1);
    look(only_read, F_WRLCK, 1000, 1);
    look(one, F_WRLCK, 0, 40);
    printf("%d", ask(one, F_OFD_SETLK, F_UNLCK, SEEK_SET, 0, 0));
    printf(" %d\n", ask(other, F_OFD_SETLK, F_WRLCK, SEEK_SET, 60, 40));
    look(one, F_WRLCK, 0, 0);
    printf("%d\n", ask(other, F_OFD_SETLK, F_UNLCK, SEEK_SET, 0, 0));
    look(one, F_WRLCK, 0, 0);
}

static void of_the_process(int one, int other, int only_read, int only_written) {
    printf("%d %d", ask(one, F_SETLK, F_WRLCK, SEEK_SET, 0, 10), ask(other, F_SETLKW, F_WRLCK, SEEK_SET, 5, 10));
    printf(" %d", ask(other, F_OFD_SETLK, F_RDLCK, SEEK_SET, 14, 1));
    look(other, F_WRLCK, 0, 0);
    // Closing any descriptor of the file gives all of them back.
    close(dup(one));
    look(other, F_WRLCK, 0, 0);
    printf("%d %d", ask(only_read, F_SETLK, F_WRLCK, SEEK_SET, 0, 1), ask(only_read, F_SETLK, F_RDLCK, SEEK_SET, 0, 1));
    printf(" %d %d", ask(only_written, F_SETLK, F_RDLCK, SEEK_SET, 0, 1), ask(only_written, F_GETLK, F_RDLCK, SEEK_SET, 0, 1));
    printf(" %d %d", ask(one, F_SETLK, 7, SEEK_SET, 0, 1), ask(one, F_SETLK, F_RDLCK, 9, 0, 1));
    printf(" %d %d", ask(one, F_SETLK, F_RDLCK, SEEK_SET, -1, 1), ask(one, F_SETLK, F_RDLCK, SEEK_SET, 3, -4));
    printf(" %d", ask(one, F_SETLK, F_RDLCK, SEEK_SET, 0x7fffffffffffffff, 2));
    printf(" %d\n", ask(-1, F_SETLK, F_RDLCK, SEEK_SET, 0, 1));
    write(one, "12345", 5);
    printf("%d %d\n", ask(one, F_SETLK, F_WRLCK, SEEK_END, -2, 1), ask(one, F_SETLK, F_WRLCK, SEEK_CUR, 0, 2));
    look(other, F_WRLCK, 0, 0);
    struct flock numbered = {.l_type = F_RDLCK, .l_pid = 1};
    printf("%d\n", fcntl(one, F_OFD_SETLK, &numbered) ? errno : 0);
    printf("%d\n", lockf(one, F_TLOCK, 4) ? errno : 0);
}

static void of_files(int one, int other) {
    int again = dup(one);
    printf("%d %d", flock(one, LOCK_SH), flock(other, LOCK_SH | LOCK_NB));
    printf(" %d", flock(again, LOCK_EX | LOCK_NB) ? errno : 0);
    // Asking for it has lost the other one.
    printf(" %d", flock(other, LOCK_EX | LOCK_NB) ? errno : 0);
    printf(" %d", flock(again, LOCK_SH | LOCK_NB) ? errno : 0);
    printf(" %d %d", flock(other, LOCK_UN), flock(again, LOCK_EX | LOCK_NB));
    close(one);
    printf(" %d", flock(other, LOCK_SH | LOCK_NB) ? errno : 0);
    close(again);
    printf(" %d", flock(other, LOCK_SH | LOCK_NB) ? errno : 0);
    printf(" %d", flock(other, 3) ? errno : 0);
    printf(" %d\n", flock(one, LOCK_SH) ? errno : 0);
}

int main(void) {
    int one = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), other = open(name, O_RDWR);
    int only_read = open(name, O_RDONLY), only_written = open(name, O_WRONLY);
    of_bytes(one, other, only_read);
    of_the_process(one, other, only_read, only_written);
    of_files(one, other);
    unlink(name);
    return 0;
}
