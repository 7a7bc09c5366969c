// sendfile writes bytes of a file to another file, a pipe or a socket, and moves one position of the file.
//@ native
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

static void show(const char *what, ssize_t done, int from, const off_t *at) {
    int error = done < 0 ? errno : 0;
    printf("%s %zd %d %ld %ld\n", what, done, error, (long)lseek(from, 0, SEEK_CUR), at ? (long)*at : -1);
}

int main(void) {
    char name[] = "/tmp/symx_sendfile_XXXXXX", other[] = "/tmp/symx_sendfile_XXXXXX", found[16] = "";
    int from = mkstemp(name), to = mkstemp(other), ends[2], pair[2];
    unlink(name);
    if (write(from, "0123456789", 10) != 10 || lseek(from, 2, SEEK_SET) != 2)
        return 1;
    show("file", sendfile(to, from, NULL, 3), from, NULL);
    off_t at = 7;
    show("at", sendfile(to, from, &at, 100), from, &at);
    show("end", sendfile(to, from, &at, 100), from, &at);
    show("none", sendfile(to, from, NULL, 0), from, NULL);
    printf("%zd %s\n", pread(to, found, 15, 0), found);

    if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    show("pipe", sendfile(ends[1], from, NULL, 2), from, NULL);
    show("socket", sendfile(pair[0], from, NULL, 2), from, NULL);
    memset(found, 0, sizeof found);
    printf("%zd %zd %s\n", read(ends[0], found, 8), read(pair[1], found + 4, 8), found + 4);

    show("closed", sendfile(99, from, NULL, 1), from, NULL);
    show("closed", sendfile(to, 99, NULL, 1), from, NULL);
    show("reading", sendfile(ends[0], from, NULL, 1), from, NULL);
    at = 0;
    show("pipe", sendfile(to, ends[0], NULL, 1), from, &at);
    show("pipe", sendfile(to, ends[0], &at, 1), from, &at);
    int appending = open(other, O_WRONLY | O_APPEND);
    show("append", sendfile(appending, from, NULL, 1), from, NULL);
    unlink(other);
    return 0;
}
